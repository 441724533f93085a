import { Context, Data, Effect, Layer } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { testDouble } from "../contract/testDouble.ts"
import { bounds } from "./bounds.ts"
import { ownCommand } from "./command.ts"
import { ReaderProcess } from "./ReaderProcess.ts"
import type { Command } from "./ReaderProcess.ts"
import type { Reading, Unread, Wanted } from "./Reading.ts"

/** A document that can't be read, or exceeds `bounds`. */
export class DocumentUnread extends Data.TaggedError("DocumentUnread")<{ readonly why: Unread }> {
  /** The caller's failure, with the violated rule. */
  get refusal(): InvalidRequest {
    return new InvalidRequest({ param: "document", message: `document: ${rules[this.why]}` })
  }
}

/** Reads a PDF. */
export type ReadDocument = (document: Uint8Array, wanted: Wanted) => Effect.Effect<Reading, DocumentUnread>

/** Documents read concurrently. */
const mostAtATime = 2

export interface DocumentsOptions {
  /** Command of the reader process, a program that runs `process.ts`. */
  readonly command: Command
  /** How long an idle process is kept, in ms. */
  readonly idleMs?: number
  /** CPU time for one document, in ms; `bounds.seconds` by default. */
  readonly longestMs?: number
}

/**
 * Reads callers' documents in separate processes, because a few kilobytes can unpack to gigabytes and a thread's memory
 * can't be bounded. Processes start on demand and end after a minute without work.
 */
export class Documents extends Context.Tag("gateway/documents/Documents")<
  Documents,
  { readonly read: ReadDocument }
>() {
  static readonly layer = ({
    command,
    idleMs = 60_000,
    longestMs = bounds.seconds * 1_000
  }: DocumentsOptions): Layer.Layer<Documents> =>
    Layer.scoped(
      Documents,
      Effect.gen(function* () {
        const turns = yield* Effect.makeSemaphore(mostAtATime)
        const idle = new Map<ReaderProcess, ReturnType<typeof setTimeout>>()
        yield* Effect.addFinalizer(() => Effect.sync(() => idle.forEach((_, reader) => dismiss(reader))))

        const dismiss = (reader: ReaderProcess) => {
          clearTimeout(idle.get(reader))
          idle.delete(reader)
          reader.end()
        }

        const take = Effect.sync(() => {
          for (const [reader, timer] of idle) {
            clearTimeout(timer)
            idle.delete(reader)
            if (!reader.isOver) return reader
          }
          return new ReaderProcess(command, longestMs)
        })

        /** Ends a process with much memory in use, because that would count against the next document. */
        const giveBack = (reader: ReaderProcess) =>
          Effect.map(
            Effect.promise(() => reader.memory()),
            (bytes) => {
              if (reader.isOver || bytes > bounds.bytes / 2) return reader.end()
              const timer = setTimeout(() => dismiss(reader), idleMs)
              timer.unref()
              idle.set(reader, timer)
            }
          )

        const read: ReadDocument = (document, wanted) =>
          turns
            .withPermits(1)(
              Effect.acquireUseRelease(
                take,
                // Kill the process if the caller leaves.
                (reader) =>
                  Effect.onInterrupt(
                    Effect.promise(() => reader.read(document, wanted)),
                    () => Effect.sync(() => reader.end())
                  ),
                giveBack
              )
            )
            .pipe(
              Effect.flatMap((line) =>
                "read" in line
                  ? Effect.succeed(line.read)
                  : new DocumentUnread({ why: "unread" in line ? line.unread : "unreadable" })
              )
            )

        return { read }
      })
    )

  /** For tests: using a missing member dies. */
  static readonly Test = (given: Partial<(typeof Documents)["Service"]>) => testDouble(Documents, given)

  static readonly Default = Layer.suspend(() => Documents.layer({ command: ownCommand() }))
}

const rules: Readonly<Record<Unread, string>> = {
  unreadable: "is not a readable PDF",
  pages: `expected at most ${bounds.pages} pages`,
  characters: `expected at most ${bounds.characters} characters of text`,
  seconds: `takes longer to read than the ${bounds.seconds} s that a document may`,
  memory: `takes more memory to read than the ${bounds.bytes / 1024 / 1024} MiB that a document may`
}
