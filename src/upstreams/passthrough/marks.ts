import type { Chunked } from "./Dialect.ts"

/** The marks for chunks whose writer puts no space after a colon, and for others. */
export interface Marks {
  readonly usual: ReadonlyArray<Buffer>
  readonly spaced: ReadonlyArray<Buffer>
}

/** Marks of the few chunks that must be parsed: usage, finish reason, error, end of the stream. */
const concerning = ['"usage":{', '"finish_reason":"', '"error":', '"object":"error"', "[DONE]"].map((text) =>
  Buffer.from(text)
)

/** Most servers write no space after a colon. Others may write one in any of these places. */
const afterColon = Buffer.from('": ')
const concerningSpaced = [
  ...concerning,
  ...['"usage": {', '"finish_reason": "', '"object": "error"'].map((text) => Buffer.from(text))
]

/** The marks with the dialect's own, made once for each answer. */
export const marksOf = ({ citationMarks, marks }: Chunked, cites: boolean): Marks => {
  if (marks.length === 0 && !cites) return usualMarks
  const own = [...marks, ...(cites ? citationMarks : [])].map((text) => Buffer.from(text))
  return { usual: [...concerning, ...own], spaced: [...concerningSpaced, ...own] }
}

const usualMarks: Marks = { usual: concerning, spaced: concerningSpaced }

/** Those to be searched for in these chunks. */
export const marksFor = (bytes: Buffer, { spaced, usual }: Marks): ReadonlyArray<Buffer> =>
  bytes.includes(afterColon) ? spaced : usual
