import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { Schema } from "effect"
import { PackIndex } from "./PagePack.ts"
import type { PageFile } from "./PagePack.ts"

/** Packs the page's files, compressed, into one: a line of JSON with their byte ranges (`PackIndex`), then their bytes. */
export const packPage = (files: ReadonlyArray<PageFile>, quality = 11): Blob => {
  const index: Record<string, (typeof PackIndex.Type)[string]> = {}
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let end = 0
  const place = (bytes: Uint8Array): readonly [number, number] => {
    parts.push(new Uint8Array(bytes))
    end += bytes.length
    return [end - bytes.length, end]
  }
  for (const { bytes, name, type } of files) {
    index[name] = {
      type,
      hash: new Bun.CryptoHasher("sha256").update(bytes).digest("base64url").slice(0, 22),
      br: place(brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })),
      gzip: place(gzipSync(bytes, { level: 9 }))
    }
  }
  return new Blob([`${Schema.encodeSync(PackIndex)(index)}\n`, ...parts])
}
