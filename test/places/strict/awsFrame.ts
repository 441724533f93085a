import type { Any } from "./rule.ts"

const crc = (bytes: Uint8Array): number => Bun.hash.crc32(bytes) >>> 0
/** An event of an AWS stream, with its checksums. */
export const awsFrame = (event: string, payload: Any): Uint8Array => {
  const headers = Buffer.concat(
    [
      [":event-type", event],
      [":content-type", "application/json"],
      [":message-type", "event"]
    ].map(([name = "", value = ""]) => {
      const head = Buffer.alloc(1 + name.length + 3)
      head.writeUInt8(name.length, 0)
      head.write(name, 1)
      head.writeUInt8(7, 1 + name.length)
      head.writeUInt16BE(value.length, 2 + name.length)
      return Buffer.concat([head, Buffer.from(value)])
    })
  )
  const body = Buffer.from(JSON.stringify(payload))
  const start = Buffer.alloc(12)
  start.writeUInt32BE(16 + headers.length + body.length, 0)
  start.writeUInt32BE(headers.length, 4)
  start.writeUInt32BE(crc(start.subarray(0, 8)), 8)
  const all = Buffer.concat([start, headers, body])
  const end = Buffer.alloc(4)
  end.writeUInt32BE(crc(all))
  return Buffer.concat([all, end])
}
