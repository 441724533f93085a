import { open, unlink } from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Data } from "effect"
import { UploadedFile } from "../../contract/UploadedFile.ts"
import type { PartHead } from "./FormParser.ts"

/** Bytes of a chunk when the file is read. */
const chunkBytes = 256 * 1024

/** The temporary folder is full or can't be written. */
export class NotSpooled extends Data.TaggedError("NotSpooled")<{ readonly cause: unknown }> {}

/**
 * A file of a form, written as it comes to a temporary file without a name: it is gone once it is closed, also if the
 * process is killed.
 */
export class SpooledFile {
  readonly #handle: FileHandle
  readonly #head: PartHead
  readonly #hash = new Bun.SHA256()
  #bytes = 0

  private constructor(handle: FileHandle, head: PartHead) {
    this.#handle = handle
    this.#head = head
  }

  static async create(head: PartHead): Promise<SpooledFile> {
    const path = join(tmpdir(), `model-gateway-${crypto.randomUUID()}`)
    const handle = await open(path, "wx+", 0o600).catch(notSpooled)
    await unlink(path)
    return new SpooledFile(handle, head)
  }

  get bytes(): number {
    return this.#bytes
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#hash.update(chunk)
    for (let at = 0; at < chunk.length;) {
      const { bytesWritten } = await this.#handle.write(chunk, at, chunk.length - at, this.#bytes).catch(notSpooled)
      at += bytesWritten
      this.#bytes += bytesWritten
    }
  }

  /** The file, once all of it was written. */
  uploaded(): UploadedFile {
    const { fileName, mediaType } = this.#head
    const name = fileName === undefined || fileName === "" ? null : fileName
    const sha256 = this.#hash.digest("hex")
    return new UploadedFile({ name, mediaType, bytes: this.#bytes, sha256, open: () => this.#reading() })
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  #reading(): () => Promise<Uint8Array | undefined> {
    let at = 0
    return async () => {
      const { buffer, bytesRead } = await this.#handle.read(new Uint8Array(chunkBytes), 0, chunkBytes, at)
      at += bytesRead
      return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead)
    }
  }
}

const notSpooled = (cause: unknown): never => {
  throw new NotSpooled({ cause })
}
