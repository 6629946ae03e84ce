// The chrome as an Ink tree: every block at its place. Pure; it holds no state and hears no keys.
import { Box, Text } from 'ink';
import { memo } from 'react';
import type { Block, ScreenModel } from './screen-model.js';

export function Screen({ model }: { model: ScreenModel }) {
  return (
    <Box width={model.cols} height={model.rows} overflow="hidden">
      {model.blocks.map((block) => (
        <PlacedRows key={block.key} block={block} text={block.rows.join('\n')} />
      ))}
    </Box>
  );
}

/** `text` alone decides about a new render, with the place: blocks are made anew for every model. */
const PlacedRows = memo(
  function PlacedRows({ block, text }: { block: Block; text: string }) {
    return (
      <Box position="absolute" marginLeft={block.x} marginTop={block.y} width={block.cols}>
        <Text wrap="truncate-end">{text}</Text>
      </Box>
    );
  },
  (before, after) =>
    before.text === after.text &&
    before.block.x === after.block.x &&
    before.block.y === after.block.y &&
    before.block.cols === after.block.cols,
);
