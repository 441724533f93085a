/** The tools that providers run themselves and bill by the call. */
export const hostedCalls = [
  "web_search",
  "image_generation",
  "code_interpreter",
  "code_execution",
  "shell",
  "file_search",
  "x_search",
  "collections_search",
  "maps"
] as const
export type HostedCall = (typeof hostedCalls)[number]

const known: ReadonlySet<string> = new Set(hostedCalls)

export const isHostedCall = (name: string): name is HostedCall => known.has(name)

/** Calls of an answer, by tool. */
export type CallCounts = Readonly<Partial<Record<HostedCall, number>>>
