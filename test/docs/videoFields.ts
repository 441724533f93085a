import { fates as ark } from "../../src/upstreams/protocols/arkVideo/request.ts"
import { fates as dashscope } from "../../src/upstreams/protocols/dashscopeVideo/generations.ts"
import { fates as kling } from "../../src/upstreams/protocols/klingVideo/request.ts"
import { fates as minimax } from "../../src/upstreams/protocols/minimaxVideo/request.ts"
import { fates as openai } from "../../src/upstreams/protocols/openaiVideos/offer.ts"
import { fates as veo } from "../../src/upstreams/protocols/veo/request.ts"
import { videoFields } from "../../src/upstreams/videoFields.ts"
import type { FieldFate, FieldFates } from "../../src/upstreams/videoFields.ts"

const protocols: Readonly<Record<string, FieldFates>> = {
  "ark-video": ark,
  "minimax-video": minimax,
  "kling-video": kling,
  "veo: Google's API": veo.gemini,
  "veo: Vertex": veo.vertex,
  "dashscope-video: wan3": dashscope.media,
  "wan2.7-t2v": dashscope.text,
  "wan2.7-i2v": dashscope.frames,
  "wan2.7-r2v": dashscope.references,
  "wan2.6-t2v": dashscope.oldText,
  "wan2.6-i2v": dashscope.oldFrame,
  "openai-videos": openai
}

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
