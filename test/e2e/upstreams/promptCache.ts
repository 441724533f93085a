import type { JsonObject } from "../../../src/contract/fields.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
type Any = any

/** Tokens of each piece of a prompt. */
const each = 10

/** How far back from a mark an earlier one is looked for. */
const lookBack = 20

/**
 * A service's cache of prompts: what a request used, by what was asked before. Where the body has `messages`, only what
 * is marked is cached, and found again where it ends at most 20 blocks before a mark; OpenAI's caches by itself.
 */
export const promptCache = (): ((body: Any) => JsonObject) => {
  const written = new Set<string>()
  const asked: Array<ReadonlyArray<string>> = []
  return (body) => {
    const pieces = "messages" in body ? blocksOf(body) : itemsOf(body)
    if (!("messages" in body)) {
      const cached = Math.max(0, ...asked.map((earlier) => sharedBy(earlier, pieces)))
      asked.push(pieces)
      const input_tokens = each * pieces.length
      return { input_tokens, input_tokens_details: { cached_tokens: each * cached }, total_tokens: input_tokens + 8 }
    }
    const prefix = (length: number) =>
      JSON.stringify(pieces.slice(0, length).map((piece) => JSON.parse(piece, withoutMark)))
    const marks = pieces.flatMap((piece, index) => (piece.includes('"cache_control"') ? [index + 1] : []))
    if (marks.length > 4) throw new Error("more than four marks")
    const isFound = (end: number) => written.has(prefix(end))
    const found = marks.flatMap((mark) =>
      Array.from({ length: Math.min(lookBack, mark) }, (_, back) => mark - back).filter(isFound)
    )
    const read = Math.max(0, ...found)
    const last = Math.max(read, ...marks)
    for (const mark of marks) written.add(prefix(mark))
    return {
      cache_read_input_tokens: each * read,
      cache_creation_input_tokens: each * (last - read),
      input_tokens: each * (pieces.length - last)
    }
  }
}

const withoutMark = (key: string, value: unknown) => (key === "cache_control" ? undefined : value)

const blocksOf = ({ messages, system = [], tools = [] }: Any): ReadonlyArray<string> => [
  ...tools.map((tool: unknown) => JSON.stringify(tool)),
  ...system.map((block: unknown) => JSON.stringify(block)),
  ...messages.flatMap(({ content, role }: Any) => content.map((block: object) => JSON.stringify({ role, ...block })))
]

const itemsOf = ({ input, instructions = "", tools = [] }: Any): ReadonlyArray<string> =>
  [instructions, tools, ...input].map((item: unknown) => JSON.stringify(item))

const sharedBy = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  const at = one.findIndex((piece, index) => piece !== other[index])
  return at === -1 ? one.length : at
}
