import { constants } from "node:fs"
import { open, stat } from "node:fs/promises"
import type { Stats } from "node:fs"
import { Data } from "effect"

/** A file can't be read. The reason is for the operator: `ENOENT`, `it is not a regular file`. */
export class UnreadableFile extends Data.TaggedError("UnreadableFile")<{
  readonly path: string
  readonly reason: string
  /** True if the file, or another one before it, does not answer: what was read of it before may still be right. */
  readonly isSilent: boolean
}> {
  override get message(): string {
    return `the file ${this.path} can't be read (${this.reason})`
  }
}

/** The most bytes of a file that holds a secret, and of a settings file. */
export const mostOfSecret = 64 * 1024
export const mostOfSettings = 16 * 1024 * 1024

/** The time in which a file has to answer, in ms. */
const patience = 5_000

interface Work {
  readonly path: string
  /** True once its time is over. */
  isLate: boolean
}

/**
 * Reads small files that may be read again while the process serves. A FIFO would be waited for without end, and so is a
 * network mount whose server is gone: the system call holds one of the few threads that also resolve names and compress.
 * So files are opened without waiting, only regular ones are read, and one file at a time: one that does not answer holds
 * one thread, and the others are refused meanwhile.
 */
export class RegularFiles {
  readonly #patience: number
  #last: Promise<unknown> = Promise.resolve()
  /** The file that is being looked at. */
  #current: Work | undefined
  #refusals = 0

  constructor(patienceMs = patience) {
    this.#patience = patienceMs
  }

  /** How often a file was given up since it, or another one before it, did not answer. */
  get refusals(): number {
    return this.#refusals
  }

  /** The text of a regular file of at most `most` bytes. Rejects with `UnreadableFile`. */
  read(path: string, most: number): Promise<string> {
    return this.run(path, () => textOf(path, most))
  }

  /** A file's metadata; undefined if it does not exist. Rejects with `UnreadableFile` if it does not answer. */
  look(path: string): Promise<Stats | undefined> {
    return this.run(path, () => stat(path).catch(() => undefined))
  }

  protected run<A>(path: string, work: () => Promise<A>): Promise<A> {
    const silent = this.#silent(path)
    if (silent !== undefined) {
      this.#refusals++
      return Promise.reject(silent)
    }
    return new Promise((resolve, reject) => {
      let isWaitedFor = true
      const stop = countDown(this.#patience, () => {
        isWaitedFor = false
        this.#refusals++
        reject(this.#silent(path) ?? notAnswering(path, path))
      })
      const turn = this.#last.then(async () => {
        if (!isWaitedFor) return
        const current = { path, isLate: false }
        this.#current = current
        const answered = countDown(this.#patience, () => void (current.isLate = true))
        try {
          resolve(await work())
        } catch (cause) {
          reject(unreadable(path, cause))
        } finally {
          this.#current = undefined
          answered()
          stop()
        }
      })
      this.#last = turn
    })
  }

  /** The refusal while a file does not answer. */
  #silent(path: string): UnreadableFile | undefined {
    const current = this.#current
    if (current?.isLate !== true) return undefined
    return notAnswering(path, current.path)
  }
}

/** The parts of a countdown. */
const parts = 10

/**
 * Counts the time of the event loop: while that is held up, as by modules that load on a busy machine, no answer can come
 * in, and one part passes at most.
 *
 * @returns stops it
 */
const countDown = (ms: number, ended: () => void): (() => void) => {
  let left = parts
  const tick = () => {
    if (--left > 0) timer = setTimeout(tick, ms / parts)
    else ended()
  }
  let timer = setTimeout(tick, ms / parts)
  return () => clearTimeout(timer)
}

/** Those of this process. */
export const regularFiles = new RegularFiles()

const textOf = async (path: string, most: number): Promise<string> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new Error("it is not a regular file")
    // Files of `/proc` have no size.
    const bytes = Buffer.alloc(Math.min(Math.max(found.size, mostOfSecret), most) + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length)
      length += bytesRead
      if (bytesRead === 0) return bytes.toString("utf8", 0, length)
      if (length > most) throw new Error(`it is larger than ${most} bytes`)
      if (length === bytes.length) throw new Error("it is being written")
    }
  } finally {
    await handle.close()
  }
}

const unreadable = (path: string, cause: unknown): UnreadableFile => {
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined
  const reason = code ?? (cause instanceof Error ? cause.message : "unknown")
  return new UnreadableFile({ path, reason, isSilent: false })
}

const notAnswering = (path: string, silent: string): UnreadableFile =>
  new UnreadableFile({
    path,
    reason: path === silent ? "it does not answer" : `${silent} does not answer`,
    isSilent: true
  })
