/**
 * Opens what NaCl's `crypto_secretbox` (XSalsa20 and Poly1305) sealed, which LiteLLM uses for values in its database. No
 * library of the runtime has it. It reads a few short texts once, so it is written for plainness, not for speed.
 *
 * @param sealed a nonce of 24 bytes, a tag of 16, the ciphertext
 * @returns undefined if the key is another, or the text is none of these
 */
export const openSecretBox = (sealed: Uint8Array, key: Uint8Array): Uint8Array | undefined => {
  if (sealed.length < nonceLength + tagLength || key.length !== 32) return undefined
  const nonce = sealed.subarray(0, nonceLength)
  const tag = sealed.subarray(nonceLength, nonceLength + tagLength)
  const ciphertext = sealed.subarray(nonceLength + tagLength)
  const stream = keyStream(key, nonce, 32 + ciphertext.length)
  if (!isSame(poly1305(stream.subarray(0, 32), ciphertext), tag)) return undefined
  return ciphertext.map((byte, at) => byte ^ (stream[32 + at] ?? 0))
}

const nonceLength = 24
const tagLength = 16

const isSame = (one: Uint8Array, other: Uint8Array) =>
  one.reduce((difference, byte, at) => difference | (byte ^ (other[at] ?? 0)), 0) === 0

/** XSalsa20: a key of its own for the nonce's first 16 bytes, then Salsa20 with the other 8. */
const keyStream = (key: Uint8Array, nonce: Uint8Array, length: number): Uint8Array => {
  const mixed = rounds(stateOf(key, nonce.subarray(0, 16)))
  const derived = bytesOf(Uint32Array.from([0, 5, 10, 15, 6, 7, 8, 9], (at) => mixed[at] ?? 0))
  const stream = new Uint8Array(Math.ceil(length / 64) * 64)
  const place = new Uint8Array(16)
  place.set(nonce.subarray(16))
  for (let block = 0; block * 64 < length; block++) {
    new DataView(place.buffer).setUint32(8, block, true)
    const state = stateOf(derived, place)
    const turned = rounds(state)
    stream.set(bytesOf(turned.map((word, at) => word + (state[at] ?? 0))), block * 64)
  }
  return stream
}

/** Salsa20's state: four constants on the diagonal, the key in two halves, 16 bytes in between. */
const stateOf = (key: Uint8Array, input: Uint8Array): Uint32Array => {
  const [k, n] = [wordsOf(key), wordsOf(input)]
  const word = (words: Uint32Array, at: number) => words[at] ?? 0
  const [a, b] = [[0, 1, 2, 3].map((at) => word(k, at)), [4, 5, 6, 7].map((at) => word(k, at))]
  return Uint32Array.from([0x61707865, ...(a ?? []), 0x3320646e, ...n, 0x79622d32, ...(b ?? []), 0x6b206574])
}

/** A round's quarters, of columns and then of rows. */
const quarters = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14]
] as const

const rounds = (state: Uint32Array): Uint32Array => {
  const x = Uint32Array.from(state)
  const turn = (to: number, one: number, other: number, by: number) => {
    const sum = ((x[one] ?? 0) + (x[other] ?? 0)) >>> 0
    x[to] = (x[to] ?? 0) ^ ((sum << by) | (sum >>> (32 - by)))
  }
  for (let round = 0; round < 10; round++) {
    for (const [a, b, c, d] of quarters) {
      turn(b, a, d, 7)
      turn(c, b, a, 9)
      turn(d, c, b, 13)
      turn(a, d, c, 18)
    }
  }
  return x
}

/** Little-endian 32-bit words. */
const wordsOf = (bytes: Uint8Array): Uint32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => view.getUint32(at * 4, true))
}

const bytesOf = (words: Uint32Array): Uint8Array => {
  const view = new DataView(new ArrayBuffer(words.length * 4))
  words.forEach((word, at) => view.setUint32(at * 4, word, true))
  return new Uint8Array(view.buffer)
}

const prime = (1n << 130n) - 5n

const poly1305 = (key: Uint8Array, message: Uint8Array): Uint8Array => {
  const r = numberOf(key.subarray(0, 16)) & 0x0ffffffc0ffffffc0ffffffc0fffffffn
  let sum = 0n
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16)
    sum = ((sum + numberOf(block) + (1n << BigInt(8 * block.length))) * r) % prime
  }
  const tag = sum + numberOf(key.subarray(16, 32))
  return Uint8Array.from({ length: tagLength }, (_, at) => Number((tag >> BigInt(8 * at)) & 0xffn))
}

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes.toReversed()).toString("hex") || "0"}`)
