import { createHash, createHmac } from "node:crypto"
import type { Hash, Hmac } from "node:crypto"
import type { Checksum, SourceData } from "@smithy/types"

/** SHA-256, or HMAC with a key, as `@smithy/signature-v4` expects it; the engine's own, because bodies may be long. */
export class Sha256 implements Checksum {
  readonly #key: SourceData | undefined
  #hash: Hash | Hmac

  constructor(key?: SourceData) {
    this.#key = key
    this.#hash = begin(key)
  }

  update(data: SourceData): void {
    this.#hash.update(bytesOf(data))
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()))
  }

  reset(): void {
    this.#hash = begin(this.#key)
  }
}

const begin = (key: SourceData | undefined): Hash | Hmac =>
  key === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(key))

const bytesOf = (data: SourceData): Uint8Array | string => {
  if (typeof data === "string") return data
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
}
