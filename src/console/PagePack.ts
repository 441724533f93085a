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
/** Where each file lies behind the line of JSON that this is. */
export const PackIndex = Schema.parseJson(
  Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ type: Schema.String, hash: Schema.String, br: Place, gzip: Place })
  })
)

/** Bytes that the index takes at most. */
const longestIndex = 256 * 1024

/** The files of a pack, by name. Nothing but the index is read. */
export const unpackPage = async (pack: Blob): Promise<ReadonlyMap<string, PackedFile>> => {
  const head = await pack.slice(0, longestIndex).bytes()
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
