import type { FormBounds } from "../../contract/annotations.ts"
import type { UploadedFile } from "../../contract/bodies/UploadedFile.ts"
import { InvalidRequest, TooLarge } from "../../contract/failures/Failure.ts"
import type { RateLimited } from "../../contract/failures/Failure.ts"
import type { Holding } from "../Unfinished.ts"
import { receive } from "./receive.ts"
import { Spool } from "./Spool.ts"
import { SpooledFile } from "./SpooledFile.ts"

/** A long body that was read completely. */
interface LongBody {
  readonly file: UploadedFile
  readonly discard: () => Promise<void>
}

/** Bodies below this many bytes are read into memory. */
const least = 128 * 1024

/** True if a JSON body is too long for memory. A compressed one has the bounds of others. */
export const isLong = ({ headers }: Request): boolean => {
  const declared = headers.get("content-length")
  return !headers.has("content-encoding") && (declared === null || Number(declared) > least)
}

/** Reads a body to disk, within its bounds. A refused one leaves no file behind. Rejects if the connection breaks. */
export const readLong = async (
  request: Request,
  bounds: Pick<FormBounds, "bytes" | "seconds">,
  holding: Holding
): Promise<LongBody | InvalidRequest | TooLarge | RateLimited> => {
  if (Number(request.headers.get("content-length") ?? 0) > bounds.bytes) return tooLarge(bounds)
  const spool = new Spool(holding)
  const file = new SpooledFile({ name: "body", fileName: undefined, mediaType: "application/json" }, spool)
  const discard = () => spool.close()
  const refused = await receive(request.body, bounds, (chunk) => file.write(chunk)).catch(async (cause: unknown) => {
    await discard()
    throw cause
  })
  if (refused === undefined) return { file: file.uploaded(), discard }
  await discard()
  if (refused === "large") return tooLarge(bounds)
  if (refused !== "late") return refused
  const message = `The request body was not received within ${bounds.seconds} seconds`
  return new InvalidRequest({ param: null, message })
}

const tooLarge = ({ bytes }: Pick<FormBounds, "bytes">) =>
  new TooLarge({ message: `The request body is larger than ${bytes} bytes` })
