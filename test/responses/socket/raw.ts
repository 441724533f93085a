import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import type { Socket } from "node:net"

/** Opcodes of frames, as RFC 6455 numbers them. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

interface FrameOptions {
  readonly opcode?: number
  readonly isLast?: boolean
  /** Says that it is compressed. */
  readonly isCompressed?: boolean
  /** What it says of its length; nothing has to follow. */
  readonly length?: number
}

/** A client's frame, as wrong as is wanted. */
export const frame = (payload: string | Buffer, options: FrameOptions = {}): Buffer => {
  const data = Buffer.from(payload)
  const { isCompressed = false, isLast = true, length = data.length, opcode = opcodes.text } = options
  const head = Buffer.alloc(14)
  head[0] = (isLast ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode
  let at = 2
  if (length < 126) head[1] = 0x80 | length
  else if (length < 65_536) {
    head[1] = 0x80 | 126
    at = head.writeUInt16BE(length, 2)
  } else {
    head[1] = 0x80 | 127
    at = head.writeBigUInt64BE(BigInt(length), 2)
  }
  const mask = randomBytes(4)
  mask.copy(head, at)
  return Buffer.concat([head.subarray(0, at + 4), data.map((byte, index) => byte ^ (mask[index % 4] ?? 0))])
}

/** A connection by which a client does what none should. It answers nothing by itself: no ping, no close. */
export const rawSocket = async (url: string, key: string) => {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect(Number(port), hostname)
  const pieces: Array<Buffer> = []
  let wake = () => {}
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  socket.on("error", () => {})
  socket.on("data", (piece: Buffer) => {
    pieces.push(piece)
    wake()
  })
  socket.write(
    [
      "GET /v1/responses HTTP/1.1",
      "host: gateway",
      "connection: upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      `sec-websocket-key: ${randomBytes(16).toString("base64")}`,
      `authorization: Bearer ${key}`,
      "\r\n"
    ].join("\r\n")
  )
  const read = () => Buffer.concat(pieces)
  const until = async (isSo: (bytes: Buffer) => boolean) => {
    while (!isSo(read())) {
      await Promise.race([
        closed.then(() => {
          if (!isSo(read())) throw new Error(`closed after ${JSON.stringify(read().toString("latin1").slice(-500))}`)
        }),
        new Promise<void>((resolve) => {
          wake = resolve
        })
      ])
    }
  }
  await until((bytes) => bytes.includes("\r\n\r\n"))
  return { socket, read, until, closed, write: (bytes: Buffer) => void socket.write(bytes) }
}
