import type { RateLimited, TooLarge } from "../../contract/failures/Failure.ts"
import { UploadedFile } from "../../contract/bodies/UploadedFile.ts"
import type { PartHead } from "./FormParser.ts"
import type { Spool } from "./Spool.ts"

/** A file of a form, a range of the form's spool. Files come one after the other. */
export class SpooledFile {
  readonly #head: PartHead
  readonly #spool: Spool
  readonly #from: number
  readonly #hash = new Bun.SHA256()

  constructor(head: PartHead, spool: Spool) {
    this.#head = head
    this.#spool = spool
    this.#from = spool.bytes
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#spool.bytes - this.#from
  }

  /** Adds bytes. Returns the reason to refuse the form. */
  write(chunk: Uint8Array): Promise<RateLimited | TooLarge | undefined> {
    this.#hash.update(chunk)
    return this.#spool.write(chunk)
  }

  /** The file, once all of it was written. */
  uploaded(): UploadedFile {
    const { fileName, mediaType } = this.#head
    const name = fileName === undefined || fileName === "" ? null : fileName
    const [from, to] = [this.#from, this.#spool.bytes]
    return new UploadedFile({
      name,
      mediaType,
      bytes: to - from,
      sha256: this.#hash.digest("hex"),
      open: () => this.#spool.reading(from, to)
    })
  }
}
