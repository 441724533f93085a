const dimensions = ["account", "key", "model", "upstream", "day", "service_tier"] as const
export type Dimension = (typeof dimensions)[number]

/** The rows of a usage report. */
export type UsageBy =
  | { readonly rows: "groups"; readonly first: Dimension; readonly second: Dimension | undefined }
  /** Tags and end users are in the rows of requests alone. */
  | { readonly rows: "tag" }
  | { readonly rows: "end_user" }
  | { readonly rows: "request" }

const ofRows = {
  request: { rows: "request" },
  tag: { rows: "tag" },
  end_user: { rows: "end_user" }
} as const

/** Parses `by`: `model`, `key,model`, `tag`, `request`. */
export const usageByOf = (text: string): UsageBy | undefined => {
  if (text === "request" || text === "tag" || text === "end_user") return ofRows[text]
  const [first, second, ...more] = text.split(",").map((name) => dimensions.find((one) => one === name))
  const isPair = text.includes(",")
  if (first === undefined || more.length > 0 || first === second || (isPair && second === undefined)) return undefined
  return { rows: "groups", first, second }
}

/** All values of `by`. */
export const usageBys: ReadonlyArray<string> = [
  ...dimensions,
  "request",
  "tag",
  "end_user",
  ...dimensions.flatMap((first) => dimensions.flatMap((second) => (first === second ? [] : [`${first},${second}`])))
]

export const byWords =
  "one of day, model, key, account, upstream, service_tier, tag, end_user or request; or two of day, model, key, account, upstream and service_tier, such as key,model"
