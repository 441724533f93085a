import { Schema } from "effect"

/** A built file of the page, uncompressed. */
export interface PageFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** A file of the page, compressed; both blobs are slices of the pack. */
export interface PackedFile {
  readonly type: string
  readonly hash: string
  readonly br: Blob
  readonly gzip: Blob
}

const Place = Schema.Tuple(Schema.Int, Schema.Int)
/** The first line of a pack: JSON with the byte range of each file after that line. */
export const PackIndex = Schema.parseJson(
  Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ type: Schema.String, hash: Schema.String, br: Place, gzip: Place })
  })
)

/** The longest index, in bytes. */
const maxIndexBytes = 256 * 1024

/** The files of a pack, by name. Reads only the index. */
export const unpackPage = async (pack: Blob): Promise<ReadonlyMap<string, PackedFile>> => {
  const head = await pack.slice(0, maxIndexBytes).bytes()
  const end = head.indexOf(10)
  const index = Schema.decodeSync(PackIndex)(new TextDecoder().decode(head.subarray(0, end)))
  const cut = ([from, to]: readonly [number, number]) => pack.slice(end + 1 + from, end + 1 + to)
  return new Map(
    Object.entries(index).map(([name, { br, gzip, hash, type }]) => [
      name,
      { type, hash, br: cut(br), gzip: cut(gzip) }
    ])
  )
}
