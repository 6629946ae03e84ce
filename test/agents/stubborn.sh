# Ignores TERM, HUP and INT, and starts a grandchild that does the same. Prints both pids and lives for ever.
trap '' TERM HUP INT
sleep 9999 &
echo "pids $$ $!"
while :; do sleep 9999; done
