import type { ModelRecord } from "./UpstreamRecord.ts"

/** True if each word of a search stands in the model's id, its kind or one of its routes. */
export const isModelFound = (search: string, { id, kind, routes }: ModelRecord): boolean => {
  const texts = [id, kind, ...routes.map(({ model, upstream }) => `${upstream}/${model}`)].join("\n").toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => texts.includes(word))
}

/** The lengths of videos: `4–15 s`, or `5, 10 s`. */
const secondsText = (seconds: ReadonlyArray<number>): string => {
  const [first = 0] = seconds
  const last = seconds.at(-1) ?? 0
  const isWhole = seconds.length > 2 && last - first === seconds.length - 1
  return `${isWhole ? `${first}–${last}` : seconds.join(", ")} s`
}

/**
 * A model's bounds by route where these differ, and what is known of it: `64,000 tokens out`, or `4–15 s, 480p 720p`;
 * `reads text, image`; `retires 2026-12-11`; `guardrails pii`.
 */
export const boundsOf = ({
  facts = {},
  guardrails = [],
  kind,
  max_output_tokens: most,
  routes
}: ModelRecord): ReadonlyArray<string> => [
  ...(most === null ? [] : [`${most.toLocaleString("en")} tokens out`]),
  ...new Set(
    routes.flatMap(({ video }) =>
      video === undefined ? [] : [`${secondsText(video.seconds)}, ${video.resolutions.join(" ")}`]
    )
  ),
  ...(facts.inputs === undefined || kind === "video" ? [] : [`reads ${facts.inputs.join(", ")}`]),
  ...(facts.retires === undefined ? [] : [`retires ${facts.retires}`]),
  ...(guardrails.length === 0 ? [] : [`guardrails ${guardrails.join(", ")}`])
]
