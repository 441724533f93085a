import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { Schema } from "effect"

/** A file of the page as it was built. */
export interface PageFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** A file of the page as it is sent: compressed once, and cut out of the pack where that is. */
export interface PackedFile {
  readonly type: string
  readonly hash: string
  readonly br: Blob
  readonly gzip: Blob
}

const Place = Schema.Tuple(Schema.Int, Schema.Int)
const Index = Schema.parseJson(
  Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ type: Schema.String, hash: Schema.String, br: Place, gzip: Place })
  })
)

/** One file with all of the page's, compressed: a line of JSON that says where each lies behind it, then their bytes. */
export const packPage = (files: ReadonlyArray<PageFile>, quality = 11): Blob => {
  const index: Record<string, (typeof Index.Type)[string]> = {}
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
  return new Blob([`${Schema.encodeSync(Index)(index)}\n`, ...parts])
}

/** Bytes that the index takes at most. */
const longestIndex = 256 * 1024

/** The files of a pack, by name. Nothing but the index is read. */
export const unpackPage = async (pack: Blob): Promise<ReadonlyMap<string, PackedFile>> => {
  const head = await pack.slice(0, longestIndex).bytes()
  const end = head.indexOf(10)
  const index = Schema.decodeSync(Index)(new TextDecoder().decode(head.subarray(0, end)))
  const cut = ([from, to]: readonly [number, number]) => pack.slice(end + 1 + from, end + 1 + to)
  return new Map(
    Object.entries(index).map(([name, { br, gzip, hash, type }]) => [
      name,
      { type, hash, br: cut(br), gzip: cut(gzip) }
    ])
  )
}
