import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { awsEventStream } from "../../../src/upstreams/framing/awsEventStream.ts"
import { BrokenFrame } from "../../../src/upstreams/framing/Framing.ts"
import type { Frame } from "../../../src/upstreams/framing/Framing.ts"
import { awsEvent, awsException, awsMessage } from "../fakes/awsMessage.ts"

const framing = awsEventStream(({ name, payload, type }) => ({ event: `${type} ${name}`, data: payload }))

const read = (...chunks: ReadonlyArray<Uint8Array>): ReadonlyArray<Frame> => {
  const parser = framing.parser()
  return [...chunks.flatMap((chunk) => [...parser.push(chunk)]), ...parser.end()]
}

const bytesOf = (latin1: string) => new Uint8Array(Buffer.from(latin1, "latin1"))

const changed = (bytes: Uint8Array, at: number, by = 1) => {
  const copy = bytes.slice()
  copy[at] = ((copy[at] ?? 0) + by) & 255
  return copy
}

/** A whole message, its checksums right, around these headers. */
const around = (headers: Uint8Array, over: { readonly headerBytes?: number; readonly length?: number } = {}) => {
  const length = over.length ?? 12 + headers.length + 4
  const bytes = Buffer.alloc(12 + headers.length + 4)
  bytes.writeUInt32BE(length, 0)
  bytes.writeUInt32BE(over.headerBytes ?? headers.length, 4)
  bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(0, 8)), 8)
  bytes.set(headers, 12)
  bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(0, -4)), bytes.length - 4)
  return new Uint8Array(bytes)
}

/** As AWS's SDKs for Python and Go test their decoders. */
const vectors = {
  empty: "\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2H\xeb}\x98\xc8\xff",
  int8: "\x00\x00\x00\x17\x00\x00\x00\x07)\x86\x01X\x04byte\x02\xff\xc2\xf8i\xdc",
  int64: "\x00\x00\x00\x1e\x00\x00\x00\x0e]J\xdb\x8d\x04long\x05\xff\xff\xff\xff\xff\xff\xff\xffK\xc22\xda",
  noHeaders: "\x00\x00\x00\x1d\x00\x00\x00\x00\xfdR\x8cZ{'foo':'bar'}\xc3e96",
  oneHeader:
    "\x00\x00\x00=\x00\x00\x00 \x07\xfd\x83\x96\x0ccontent-type\x07\x00\x10application/json{'foo':'bar'}\x8d\x9c\x08\xb1",
  allTypes:
    "\x00\x00\x00\x62\x00\x00\x00\x52\x03\xb5\xcb\x9c\x010\x00\x011\x01\x012\x02\x02\x013\x03\x00\x03" +
    "\x014\x04\x00\x00\x00\x04\x015\x05\x00\x00\x00\x00\x00\x00\x00\x05\x016\x06\x00\x05bytes\x017\x07\x00\x04utf8" +
    "\x018\x08\x00\x00\x00\x00\x00\x00\x00\x08\x019\x090123456789abcdef\x63\x35\x36\x71"
} as const
const error =
  "\x00\x00\x00\x52\x00\x00\x00\x42\xbf\x23\x63\x7e\x0d:message-type\x07\x00\x05error" +
  "\x0b:error-code\x07\x00\x04code\x0e:error-message\x07\x00\x07message\x6b\x6c\xea\x3d"
const initial =
  "\x00\x00\x00~\x00\x00\x00O\xc5\xa3\xdd\xc6\r:message-type\x07\x00\x05event\x0b:event-type\x07\x00\x10initial-response" +
  '\r:content-type\x07\x00\ttext/json{"InitialResponse": "sometext"}\xf6\x98$\x83'
const damaged = {
  headers:
    "\x00\x00\x00=\x00\x00\x00 \x07\xfd\x83\x96\x0ccontent+type\x07\x00\x10application/json{'foo':'bar'}\x8d\x9c\x08\xb1",
  headersLength:
    "\x00\x00\x00=\xff\x00\x01\x02\x07\xfd\x83\x96\x0ccontent-type\x07\x00\x10application/json{'foo':'bar'}\x8d\x9c\x08\xb1",
  length: "\x01\x00\x00\x1d\x00\x00\x00\x00\xfdR\x8cZ{'foo':'bar'}\xc3e96",
  oneMore:
    "\x00\x00\x00>\x00\x00\x00 \x07\xfd\x83\x96\x0ccontent-type\x07\x00\x10application/json{'foo':'bar'}\x8d\x9c\x08\xb1",
  payload: "\x00\x00\x00\x1d\x00\x00\x00\x00\xfdR\x8cZ{'foo':'bar'\x8d\xc3e96"
}

describe("AWS's event stream", () => {
  it("reads what AWS's own vectors say, and skips messages of kinds that it does not know", () => {
    expect(read(bytesOf(Object.values(vectors).join("") + initial + error))).toEqual([
      { event: "event initial-response", data: '{"InitialResponse": "sometext"}' },
      { event: "exception code", data: '{"message":"message"}' }
    ])
  })

  it.each(Object.entries(damaged))("refuses damaged %s at once", (_, text) => {
    expect(() => read(bytesOf(text))).toThrow(BrokenFrame)
  })

  it("refuses more headers than AWS sends before it reads them", () => {
    const header = Buffer.from("\x01a\x00", "latin1")
    expect(read(around(Buffer.alloc(128 * 1024 - 2, header)))).toEqual([])
    expect(() => read(around(Buffer.alloc(131_073, header)))).toThrow("bytes of headers")
    expect(() => read(around(Buffer.alloc(16_000_000, header)).subarray(0, 12))).toThrow("bytes of headers")
  })

  it("reads what AWS's encoder writes, wherever the bytes are cut", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 })
    const messages = fc.array(fc.tuple(fc.constantFrom("event", "exception"), fc.string({ maxLength: 20 }), text), {
      maxLength: 6
    })
    fc.assert(
      fc.property(messages, fc.array(fc.nat(600), { maxLength: 8 }), (written, at) => {
        const bytes = Buffer.concat(
          written.map(([type, name, payload]) => {
            const named = type === "event" ? ":event-type" : ":exception-type"
            return awsMessage({ ":message-type": type, [named]: name, "other-header": payload }, payload)
          })
        )
        const cuts = [0, ...at.map((one) => Math.min(one, bytes.length)).sort((a, b) => a - b), bytes.length]
        const chunks = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end))
        expect(read(...chunks)).toEqual(written.map(([type, name, data]) => ({ event: `${type} ${name}`, data })))
      })
    )
  })

  it("gives a message with its last byte, and nothing of one that is cut short", () => {
    const [one, other] = [awsEvent("a", { text: "é漢🦊" }), awsException("throttlingException", "slow down")]
    const parser = framing.parser()
    expect(parser.push(Buffer.concat([one, other.subarray(0, 20)]))).toEqual([
      { event: "event a", data: '{"text":"é漢🦊"}' }
    ])
    expect(parser.push(other.subarray(20, -1))).toEqual([])
    expect(parser.end()).toEqual([])
    expect(parser.push(other.subarray(-1))).toEqual([
      { event: "exception throttlingException", data: '{"message":"slow down"}' }
    ])
  })

  it("believes no length that its checksum or its limit speaks against, however much is to come", () => {
    expect(() => read(around(bytesOf(""), { length: 0xffff_ffff }))).toThrow("exceeds")
    expect(() => read(around(bytesOf(""), { length: 17 * 1024 * 1024 }))).toThrow("exceeds")
    expect(() => read(around(bytesOf(""), { length: 15 }))).toThrow("shorter")
    expect(() => read(around(bytesOf("abc"), { headerBytes: 4 }))).toThrow("shorter")
  })

  it("refuses headers that are cut or of an unknown type", () => {
    for (const headers of ["\x05abc", "\x01a", "\x01a\x07\x00", "\x01a\x07\x00\x09abc", "\x01a\x04\x00", "\x01a\x0a"]) {
      expect(() => read(around(bytesOf(headers)))).toThrow(BrokenFrame)
    }
  })

  it("notices every change of a single byte, and reads any bytes without another error", () => {
    const bytes = Buffer.concat([awsEvent("a", { n: 1 }), awsEvent("b", { n: 2 })])
    for (let at = 0; at < bytes.length; at++) expect(() => read(changed(bytes, at))).toThrow(BrokenFrame)
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 8 }), (chunks) => {
        try {
          read(...chunks)
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenFrame)
        }
      })
    )
  })
})
