import { videoModelNamed, videoModels } from "../../src/catalogue/videos/videoModels.ts"
import type { Sale } from "../../src/catalogue/videos/VideoModel.ts"
import { bounds as arkBounds } from "../../src/upstreams/protocols/arkVideo/arkVideo.ts"
import { fates as ark } from "../../src/upstreams/protocols/arkVideo/request.ts"
import { bounds as dashscopeBounds } from "../../src/upstreams/protocols/dashscopeVideo/dashscopeVideo.ts"
import { fates as dashscope, generationOf } from "../../src/upstreams/protocols/dashscopeVideo/generations.ts"
import { bounds as klingBounds, fates as kling } from "../../src/upstreams/protocols/klingVideo/request.ts"
import { bounds as minimaxBounds, fates as minimax } from "../../src/upstreams/protocols/minimaxVideo/request.ts"
import { bounds as openaiBounds, fates as openai } from "../../src/upstreams/protocols/openaiVideos/offer.ts"
import { boundsAt, fates as veo } from "../../src/upstreams/protocols/veo/request.ts"
import { boundedBy } from "../../src/upstreams/videos/VideoBounds.ts"
import type { SomeVideoBounds, VideoBounds } from "../../src/upstreams/videos/VideoBounds.ts"
import { videoFields } from "../../src/upstreams/videos/videoFields.ts"
import type { FieldFate, FieldFates, VideoField } from "../../src/upstreams/videos/videoFields.ts"
import { lengthsInWords } from "../../src/videos/bounds.ts"

interface Column {
  readonly fates: FieldFates
  readonly bounds: VideoBounds
}

/** A model of an upstream. */
const column = (fates: FieldFates, bounds: SomeVideoBounds, model: string): Column => ({
  fates,
  bounds: boundedBy(bounds, videoModelNamed(model)?.bounds)
})
const wan = (model: string) => column(dashscope[generationOf(model)], dashscopeBounds, model)

const columns: Readonly<Record<string, Column>> = {
  "ark-video": column(ark, arkBounds, "doubao-seedance-2-0"),
  "minimax-video": column(minimax, minimaxBounds, "MiniMax-H3"),
  "kling-video": column(kling, klingBounds, "kling-v3"),
  "veo: Google's API": column(veo.gemini, boundsAt("gemini"), "veo-3.1-generate-001"),
  "veo: Vertex": column(veo.vertex, boundsAt("vertex"), "veo-3.1-generate-001"),
  "dashscope-video: wan3": wan("wan3.0-video"),
  "wan2.7-t2v": wan("wan2.7-t2v"),
  "wan2.7-i2v": wan("wan2.7-i2v"),
  "wan2.7-r2v": wan("wan2.7-r2v"),
  "wan2.6-t2v": wan("wan2.6-t2v"),
  "wan2.6-i2v": wan("wan2.6-i2v"),
  "wan2.2-kf2v": wan("wan2.2-kf2v-flash"),
  "openai-videos": column(openai, openaiBounds, "sora-2")
}

const signs: Readonly<Record<FieldFate, string>> = {
  carried: "✓",
  changed: "≈",
  "left out": "✗",
  refused: "400"
}

const taken = (isTaken: boolean) => (isTaken ? "✓" : "400")

/** What a column says of a field: by the bounds of the model, or by the protocol. */
const signOf = ({ bounds, fates }: Column, field: VideoField): string => {
  switch (field) {
    case "first_frame":
      return taken(bounds.frameImages > 0)
    case "last_frame":
      return taken(bounds.frameImages > 1)
    case "reference_image":
      return taken(bounds.references.images > 0)
    case "reference_video":
      return taken(bounds.references.videos > 0)
    case "reference_audio":
      return taken(bounds.references.audios > 0)
    case "generate_audio":
      return { asked: "✓", always: "always on", never: "never" }[bounds.sound]
    default:
      return signs[fates[field]]
  }
}

/** The bounds of the protocol that makes a model, by the table's first seller. */
const protocolOf: Readonly<Record<string, SomeVideoBounds>> = {
  volcengine: arkBounds,
  byteplus: arkBounds,
  openai: openaiBounds,
  google: boundsAt("vertex"),
  kling: klingBounds,
  minimax: minimaxBounds,
  dashscope: dashscopeBounds
}

const inputsIn = ({ frameImages, needs, references: { audios, images, videos } }: VideoBounds): string => {
  const counted = Object.entries({ images, videos, audios }).filter(([, most]) => most > 0)
  return [
    ...(needs === "text" ? ["text"] : []),
    ...(frameImages === 0 || needs === "last_frame" ? [] : ["first frame"]),
    ...(frameImages === 2 ? ["both frames"] : []),
    ...(counted.length === 0 ? [] : [`references (${counted.map(([kind, most]) => `${most} ${kind}`).join(", ")})`])
  ].join("; ")
}

const withArticle = {
  text: "text alone",
  first_frame: "a first frame",
  last_frame: "both frames",
  references: "references"
}

const exceptionsIn = ({ narrower }: VideoBounds): string =>
  narrower
    .map(({ at, from, ratios, resolutions, seconds, sound }) => {
      const where = [...(at ?? []), ...(from ?? []).map((one) => withArticle[one])].join(", ")
      const less = [
        ...(seconds === undefined ? [] : [`${lengthsInWords(seconds)} s`]),
        ...(resolutions ?? []),
        ...(ratios ?? []),
        ...(sound === undefined ? [] : [sound === "never" ? "silent" : "with sound"])
      ].join(", ")
      return `${where}: ${less}`
    })
    .join("; ")

const rates = (rate: number | Readonly<Record<string, number>>): string =>
  typeof rate === "number"
    ? String(rate)
    : Object.entries(rate)
        .map(([resolution, usd]) => `${resolution} ${usd}`)
        .join(", ")

const priceIn = (sale: Sale): string => {
  if ("unpriced" in sale) return `none: ${sale.unpriced}`
  const { flex, output, per_input_image: image, per_second, with_audio, with_video } = sale.usd
  const of = (usd: { readonly output?: typeof output; readonly per_second?: typeof per_second }) => [
    ...(usd.per_second === undefined ? [] : [`${rates(usd.per_second)} a second`]),
    ...(usd.output === undefined ? [] : [`${rates(usd.output)} a million tokens`])
  ]
  return [
    ...of(sale.usd),
    ...(with_audio === undefined ? [] : [`with sound ${of(with_audio).join(", ")}`]),
    ...(with_video === undefined ? [] : [`with input videos ${of(with_video).join(", ")}`]),
    ...(image === undefined ? [] : [`${image.usd} a picture beyond ${image.free ?? 0}`]),
    ...(flex === undefined ? [] : [`flex × ${flex}`])
  ].join("; ")
}

/** The generated parts of docs/videos.md: the fate of each field at each upstream, and what each model makes. */
export const videoBlocks = {
  fields: [
    `| field | ${Object.keys(columns)
      .map((name) => `\`${name}\``)
      .join(" | ")} |`,
    `|---|${"---|".repeat(Object.keys(columns).length)}`,
    ...videoFields.map(
      (field) =>
        `| \`${field}\` | ${Object.values(columns)
          .map((column) => signOf(column, field))
          .join(" | ")} |`
    )
  ].join("\n"),
  models: [
    "| model | seconds | resolutions | made of | sound | but | price in USD |",
    "|---|---|---|---|---|---|---|",
    ...videoModels.flatMap(({ bounds: own, sales }) =>
      sales.map((sale) => {
        const ids = sale.models.map((id) => `\`${id}\``).join(", ")
        const protocol = protocolOf[sale.provider]
        if (protocol === undefined || Object.keys(own).length + ("usd" in sale ? 1 : 0) === 0) {
          return `| ${ids} | | | | | | ${priceIn(sale)} |`
        }
        const bounds = boundedBy(protocol, own)
        const sound = { asked: "as requested", always: "always", never: "never" }[bounds.sound]
        const made = [lengthsInWords(bounds.seconds), bounds.resolutions.join(", "), inputsIn(bounds), sound]
        return `| ${ids} | ${made.join(" | ")} | ${exceptionsIn(bounds)} | ${priceIn(sale)} |`
      })
    )
  ].join("\n")
}
