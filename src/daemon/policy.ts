// What a session's policy answers to a permission request, by the kind of the options and never by their place. Pure.
// Called by the permission desk. No answer (undefined) leaves the request open for a person.
import type { PermissionAnswer, PermissionOptionKind, PermissionRequest } from '../model/permission.js';
import type { PermissionPolicy } from '../model/session.js';

/** Tool kinds that change nothing. */
const READS = new Set(['read', 'search', 'think']);

export function policyAnswer(
  policy: PermissionPolicy,
  request: PermissionRequest,
): PermissionAnswer | undefined {
  // A question asks for the person's choice: no policy knows it.
  if (request.kind === 'question') return undefined;
  switch (policy) {
    case 'ask':
      return undefined;
    case 'allow-once':
      return choose(request, ['allow_once']);
    case 'allow-reads':
      return request.toolKind && READS.has(request.toolKind) ? choose(request, ['allow_once']) : undefined;
    case 'reject':
      return choose(request, ['reject_once', 'reject_always']);
    case 'allow':
      return choose(request, ['allow_once', 'allow_always']);
  }
}

function choose(request: PermissionRequest, kinds: PermissionOptionKind[]): PermissionAnswer | undefined {
  for (const kind of kinds) {
    const option = request.options.find((candidate) => candidate.kind === kind);
    if (option) return { outcome: 'selected', optionId: option.optionId };
  }
  return undefined;
}
