import { Effect } from "effect"
import { InvalidRequest, UpstreamFailed } from "../../contract/failures/Failure.ts"
import { pathTo } from "../../contract/json/pathTo.ts"
import { mostOfAll } from "../../guard/CallerFiles.ts"
import type { CallerFile, CallerFiles, FileUnread } from "../../guard/CallerFiles.ts"
import type { GenerateOptions } from "../Upstream.ts"

/** The parts whose addresses a place refuses, with the types of files that it takes for them. */
export type Fetches = Readonly<Partial<Record<"image" | "document", RegExp>>>

/** A place that takes the bytes of these parts alone. */
export const bytesAlone = { image: /^image\//, document: /^application\/pdf$/ } as const satisfies Fetches

/** The file at an address, to put in its place; undefined leaves the address. */
export type PutFile = (address: string, is: PartType) => CallerFile | undefined

/** The type of a part; undefined if it may be any. */
type PartType = keyof Fetches | undefined

/**
 * Fetches the files at a request's addresses and puts their bytes in their place; undefined if it has no address.
 *
 * @param inlined puts files in the place of addresses, in a caller's body or a conversation
 */
export const inlineFiles = <A extends object>(
  asked: A,
  inlined: (asked: A, put: PutFile) => A,
  fetches: Fetches,
  files: CallerFiles,
  { serves }: Pick<GenerateOptions, "serves">
): Effect.Effect<A, InvalidRequest | UpstreamFailed> | undefined => {
  const wanted: Array<{ readonly address: string; readonly is: PartType }> = []
  inlined(asked, (address, is) => {
    wanted.push({ address, is })
    return undefined
  })
  if (wanted.length === 0) return undefined
  const body: unknown = serves?.request.body
  const refused = (address: string, reason: string) => {
    // An address of an earlier turn is not in the request itself.
    const param = pathTo(body, fields, address) ?? "input"
    return new InvalidRequest({ param, message: `${param}: ${reason}` })
  }
  const failureOf = ({ address, isOurs, reason }: FileUnread): Effect.Effect<never, InvalidRequest | UpstreamFailed> =>
    isOurs
      ? Effect.zipRight(
          Effect.annotateLogs(Effect.logWarning("files at callers' addresses can't be fetched"), { reason }),
          new UpstreamFailed({ message: "The gateway can't fetch files at addresses at the moment; try again" })
        )
      : refused(address, reason)
  const of = { account: serves?.caller.account ?? "", request: serves?.request ?? asked }
  return files
    .read(
      of,
      wanted.map(({ address }) => address)
    )
    .pipe(
      Effect.catchAll(failureOf),
      Effect.flatMap((found) => {
        let characters = 0
        for (const { address, is } of wanted) {
          const file = found.get(address)
          if (file === undefined) continue
          if (!isOf(file, is, fetches)) return refused(address, wrongType(file, is))
          characters += file.data.length
          if (characters > mostCharacters) return refused(address, tooOften)
        }
        return Effect.succeed(inlined(asked, (address) => found.get(address)))
      })
    )
}

/** Of all files in base64. A file counts wherever its address stands. */
const mostCharacters = 4 * Math.ceil(mostOfAll / 3)
const tooOften = `expected at most ${mostOfAll} bytes in all files, each counted as often as its address is named`

/** The names of members that hold addresses, in each dialect. */
const fields: ReadonlySet<string> = new Set(["url", "image_url", "file_url"])

const isOf = ({ mediaType }: CallerFile, is: PartType, fetches: Fetches): boolean =>
  is === undefined || fetches[is]?.test(mediaType) === true

const wrongType = ({ mediaType }: CallerFile, is: PartType): string =>
  `expected ${is === "image" ? "an image that the model's upstream reads" : "a PDF"} at the address; got ${mediaType}`
