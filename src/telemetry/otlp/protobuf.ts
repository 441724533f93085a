import { isJsonObject } from "../../contract/fields.ts"

/** A field's number and type; of a list, the type of its members. */
type Field = readonly [number: number, type: Scalar | Message]
type Scalar = "string" | "hex" | "bool" | "int" | "double" | "fixed32" | "fixed64"

/** A message of protobuf: its fields by their names in JSON. Lazy, because values may contain values. */
export type Message = () => Readonly<Record<string, Field>>

/** Wire types. */
const [varint, bits64, lengths, bits32] = [0, 1, 2, 5] as const

/**
 * Encodes an object as a message of protobuf, into one buffer. Undefined fields are left out; members without a field are
 * not sent.
 */
export const encodeProtobuf = (message: Message, value: object): Uint8Array => {
  const writer = new Writer()
  writer.fields(message(), value)
  return writer.written()
}

class Writer {
  #buffer = Buffer.allocUnsafe(64 * 1024)
  #at = 0

  written(): Uint8Array {
    return this.#buffer.subarray(0, this.#at)
  }

  fields(fields: ReturnType<Message>, values: object): void {
    for (const [name, value] of Object.entries(values)) {
      const field = fields[name]
      if (field === undefined || value === undefined) continue
      const [number, type] = field
      if (Array.isArray(value)) for (const one of value) this.#field(number, type, one)
      else this.#field(number, type, value)
    }
  }

  #field(number: number, type: Field[1], value: unknown): void {
    this.#room(16)
    switch (type) {
      case "bool":
        this.#tag(number, varint)
        return this.#varint(value === true ? 1 : 0)
      case "int":
        this.#tag(number, varint)
        return this.#varint(Number(value))
      case "double":
        this.#tag(number, bits64)
        this.#at = this.#buffer.writeDoubleLE(Number(value), this.#at)
        return
      case "fixed32":
        this.#tag(number, bits32)
        this.#at = this.#buffer.writeUInt32LE(Number(value), this.#at)
        return
      case "fixed64":
        this.#tag(number, bits64)
        this.#at = this.#buffer.writeBigUInt64LE(BigInt(String(value)), this.#at)
        return
      case "hex":
      case "string":
        this.#tag(number, lengths)
        return this.#text(String(value), type === "hex" ? "hex" : "utf8")
      default:
        this.#tag(number, lengths)
        if (isJsonObject(value)) this.#message(type(), value)
    }
  }

  #message(fields: ReturnType<Message>, value: object): void {
    // Most lengths take one byte; the bytes of others are moved.
    const from = ++this.#at
    this.fields(fields, value)
    const length = this.#at - from
    if (length > 127) {
      const more = sizeOf(length) - 1
      this.#room(more)
      this.#buffer.copyWithin(from + more, from, this.#at)
    }
    this.#at = from - 1
    this.#varint(length)
    this.#at += length
  }

  #text(text: string, encoding: "utf8" | "hex"): void {
    const length = Buffer.byteLength(text, encoding)
    this.#room(length + 5)
    this.#varint(length)
    this.#at += this.#buffer.write(text, this.#at, length, encoding)
  }

  #tag(number: number, wire: number): void {
    this.#varint(number * 8 + wire)
  }

  #varint(value: number): void {
    if (value >= 0 && value < 2 ** 31) {
      let rest = value
      while (rest > 127) {
        this.#buffer[this.#at++] = (rest & 127) | 128
        rest >>>= 7
      }
      this.#buffer[this.#at++] = rest
      return
    }
    let rest = BigInt.asUintN(64, BigInt(value))
    while (rest > 127n) {
      this.#buffer[this.#at++] = Number(rest & 127n) | 128
      rest >>= 7n
    }
    this.#buffer[this.#at++] = Number(rest)
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(2 * (this.#at + bytes))
    this.#buffer.copy(larger, 0, 0, this.#at)
    this.#buffer = larger
  }
}

const sizeOf = (length: number): number =>
  length < 2 ** 7 ? 1 : length < 2 ** 14 ? 2 : length < 2 ** 21 ? 3 : length < 2 ** 28 ? 4 : 5

/**
 * The last value of each field of a message, by number: numbers, and bytes of texts and messages. Empty for bytes that are
 * no message.
 */
export const decodeProtobuf = (bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> => {
  const fields = new Map<number, number | Uint8Array>()
  let at = 0
  const number = (): number => {
    let value = 0
    for (let place = 1; at < bytes.length; place *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte & 127) * place
      if (byte < 128) return value
    }
    return Number.NaN
  }
  while (at < bytes.length) {
    const tag = number()
    const wire = tag % 8
    const length = wire === lengths ? number() : wire === bits64 ? 8 : wire === bits32 ? 4 : 0
    const value = wire === varint ? number() : bytes.subarray(at, at + length)
    const isKnown = wire === varint || wire === bits64 || wire === lengths || wire === bits32
    if (!isKnown || Number.isNaN(tag + length) || at + length > bytes.length) return new Map()
    at += length
    fields.set(Math.floor(tag / 8), value)
  }
  return fields
}
