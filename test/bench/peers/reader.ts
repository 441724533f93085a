/**
 * `reader.ts '<options>'`: opens so many streams at once on sockets of its own, which costs less than `fetch`, and prints
 * one line of JSON. A stream is clean where all its events came, in the order of their sending, and its end.
 */
export interface Reading {
  readonly url: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  readonly streams: number
  readonly events: number
  /** What a whole stream has in it last, as a regular expression; `message_stop` or `[DONE]` where nothing is said. */
  readonly end?: string | undefined
  /** Until a stream that has not ended counts as not clean, in ms. */
  readonly withinMs: number
}

export interface Read {
  /** From the sending of the request to the first event, in ms; NaN where there was none. */
  readonly first: { readonly p50: number; readonly p99: number }
  /** From an event's sending to its arrival. */
  readonly delay: { readonly p50: number; readonly p99: number }
  readonly clean: number
  readonly events: number
  /** Of the first stream that is not clean. */
  readonly wrong: string | undefined
}

interface Piece {
  readonly at: number
  readonly bytes: Buffer
}

/** A body without its transfer's chunks. */
const unchunked = (bytes: Buffer): Buffer => {
  const parts: Array<Buffer> = []
  let at = 0
  while (at < bytes.length) {
    const line = bytes.indexOf("\r\n", at)
    if (line === -1) break
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16)
    if (!(size > 0)) break
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
  return Buffer.concat(parts)
}

/** What is wrong with a stream as it was received; undefined where nothing is. */
export const wrongWith = (received: Buffer, events: number, last = "message_stop|\\[DONE\\]"): string | undefined => {
  const end = received.indexOf("\r\n\r\n")
  if (end === -1) return "no answer"
  const head = received.toString("latin1", 0, end)
  if (!head.startsWith("HTTP/1.1 200")) return received.toString("utf8").slice(0, 300)
  const body = received.subarray(end + 4)
  const text = (/transfer-encoding: *chunked/i.test(head) ? unchunked(body) : body).toString("utf8")
  const sent = [...text.matchAll(/@(\d+\.\d{3})/g)].map(([, ms]) => Number(ms))
  if (sent.length !== events) return `${sent.length} of ${events} events`
  if (sent.some((ms, n) => ms < (sent[n - 1] ?? 0))) return "events out of order"
  if (!new RegExp(last).test(text)) return "no end"
  return undefined
}

/** How long an answer is in all, where its head says so. */
const promisedBy = (bytes: Buffer): number => {
  const head = bytes.indexOf("\r\n\r\n")
  const length = /content-length: *(\d+)/i.exec(bytes.toString("latin1", 0, Math.max(0, head)))?.[1]
  return length === undefined ? Infinity : head + 4 + Number(length)
}

const lastChunk = Buffer.from("0\r\n\r\n")

const at = (values: Array<number>, share: number) =>
  values.sort((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN

const read = async ({ body, end, events, headers, path, streams, url, withinMs }: Reading): Promise<Read> => {
  const { hostname, port } = new URL(url)
  const payload = JSON.stringify(body)
  const head = Object.entries({
    host: `${hostname}:${port}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(payload)),
    ...headers
  }).map(([name, value]) => `${name}: ${value}`)
  const request = [`POST ${path} HTTP/1.1`, ...head, "", payload].join("\r\n")
  const firsts: Array<number> = []
  const delays: Array<number> = []
  const wrongs: Array<string> = []
  let seen = 0

  const one = async (): Promise<void> => {
    const pieces: Array<Piece> = []
    let first: number | undefined
    let [length, promised] = [0, Infinity]
    const ended = Promise.withResolvers<void>()
    const began = performance.now()
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(request),
        data: (_socket, bytes) => {
          const now = performance.now()
          if (first === undefined && bytes.includes("data:")) firsts.push((first = now - began))
          pieces.push({ at: now, bytes: Buffer.from(bytes) })
          length += bytes.length
          if (pieces.length === 1) promised = promisedBy(bytes)
          // The connection may stay: a body that is sent in chunks ends with an empty one.
          if (length >= promised || bytes.subarray(-lastChunk.length).equals(lastChunk)) ended.resolve()
        },
        close: () => ended.resolve(),
        error: () => ended.resolve()
      }
    })
    await Promise.race([ended.promise, Bun.sleep(withinMs)])
    socket.terminate()
    const wrong = wrongWith(Buffer.concat(pieces.map(({ bytes }) => bytes)), events, end)
    if (wrong !== undefined) wrongs.push(wrong)
    for (const { at, bytes } of pieces) {
      for (const [, ms] of bytes.toString("latin1").matchAll(/@(\d+\.\d{3})/g)) {
        seen++
        delays.push(performance.timeOrigin + at - Number(ms))
      }
    }
  }
  await Promise.all(
    Array.from({ length: streams }, () => one().catch((error: unknown) => void wrongs.push(String(error))))
  )
  return {
    first: { p50: at(firsts, 0.5), p99: at(firsts, 0.99) },
    delay: { p50: at(delays, 0.5), p99: at(delays, 0.99) },
    clean: streams - wrongs.length,
    events: seen,
    wrong: wrongs[0]
  }
}

if (import.meta.main) {
  console.log(JSON.stringify(await read(JSON.parse(process.argv[2] ?? "{}") as Reading)))
  process.exit(0)
}
