import { fates as minimax } from "../../src/upstreams/protocols/minimaxVideo/request.ts"
import { videoFields } from "../../src/upstreams/videoFields.ts"
import type { FieldFate, FieldFates } from "../../src/upstreams/videoFields.ts"

const protocols: Readonly<Record<string, FieldFates>> = { "minimax-video": minimax }

const signs: Readonly<Record<FieldFate, string>> = {
  carried: "✓",
  changed: "≈",
  "left out": "✗",
  refused: "400",
  always: "always on",
  never: "never"
}

/** The generated part of docs/videos.md: the fate of each field at each upstream. */
export const videoBlocks = {
  fields: [
    `| field | ${Object.keys(protocols)
      .map((name) => `\`${name}\``)
      .join(" | ")} |`,
    `|---|${"---|".repeat(Object.keys(protocols).length)}`,
    ...videoFields.map(
      (field) =>
        `| \`${field}\` | ${Object.values(protocols)
          .map((fates) => signs[fates[field]])
          .join(" | ")} |`
    )
  ].join("\n")
}
