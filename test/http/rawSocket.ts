import { connect } from "node:net"

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/**
 * Writes bytes to a server and reads the answers that come within a time (or until the server hangs up): for what no
 * HTTP client would send.
 */
export const exchange = (
  url: string,
  bytes: string | ReadonlyArray<string>,
  options: { readonly answers?: number; readonly timeoutMs?: number } = {}
): Promise<ReadonlyArray<RawAnswer>> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let text = ""
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answersIn(text))
    }
    const timer = setTimeout(end, options.timeoutMs ?? 5_000)
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1")
      if (answersIn(text).length >= (options.answers ?? 1)) end()
    })
    socket.on("error", end)
    socket.on("close", end)
    for (const part of [bytes].flat()) socket.write(Buffer.from(part, "latin1"))
  })

/** Splits a text into complete answers by `content-length`; answers to HEAD have no body. */
const answersIn = (text: string): ReadonlyArray<RawAnswer> => {
  const answers: Array<RawAnswer> = []
  let rest = text
  for (;;) {
    const end = rest.indexOf("\r\n\r\n")
    if (end === -1) return answers
    const [start = "", ...lines] = rest.slice(0, end).split("\r\n")
    const headers = new Headers(
      lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()])
    )
    // Bun writes the header in lower case where there is no body to come.
    const length = lines.some((line) => line.startsWith("content-length:"))
      ? 0
      : Number(headers.get("content-length") ?? 0)
    rest = rest.slice(end + 4)
    if (rest.length < length) return answers
    const status = Number(start.split(" ")[1])
    if (status !== 100) answers.push({ status, headers, body: rest.slice(0, length) })
    rest = rest.slice(length)
  }
}
