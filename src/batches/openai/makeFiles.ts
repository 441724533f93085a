import { Clock, Effect, Runtime } from "effect"
import type { Caller } from "../../contract/callers/Caller.ts"
import type { Failure, Unavailable } from "../../contract/failures/Failure.ts"
import { orStoreFailure } from "../../tasks/StoreFailure.ts"
import type { StoreFailure } from "../../tasks/StoreFailure.ts"
import { StoredFiles } from "../../storedFiles/StoredFiles.ts"
import type { FileBytes } from "../../storedFiles/StoredFiles.ts"
import { makeStoreLines } from "../storeLines.ts"
import { BatchStore } from "../store/BatchStore.ts"
import { LineStore } from "../store/LineStore.ts"
import type { BatchRow, EndedLine } from "../store/BatchRow.ts"
import type { BatchError } from "./Api.ts"
import { LineReader, makeLineCheck, mostErrors, mostInput } from "./inputLines.ts"
import { detailsOf, outputLine } from "./openAIBatch.ts"

/** Lines read at a time. */
const atOnce = 50
/** Blank lines of a file. */
const mostBlank = 50_000

/** Reads the input files of OpenAI's batches, and writes their output and error files. */
export const makeBatchFiles = Effect.gen(function* () {
  const files = yield* StoredFiles
  const batches = yield* BatchStore
  const lines = yield* LineStore
  const storeLines = yield* makeStoreLines
  const runtime = yield* Effect.runtime()

  /**
   * Stores the lines of a batch's file. Returns their number, or the mistakes in them. Lines of an earlier try are
   * replaced. Fails or dies while the file can't be read.
   */
  const validate = Effect.fnUntraced(function* (
    batch: BatchRow
  ): Effect.fn.Return<number | ReadonlyArray<BatchError>, StoreFailure | Unavailable> {
    const { inputFile } = detailsOf(batch)
    yield* orStoreFailure(lines.removeFilled(batch.id))
    const found = yield* Effect.catchTag(files.read({ account: batch.account_id }, inputFile), "NotFound", () =>
      Effect.succeed(undefined)
    )
    if (found === undefined) return [ofFile("invalid_file", "The input file is gone")]
    const { stored } = found
    const check = makeLineCheck(batch.endpoint)
    const store = storeLines(batch.id)
    const reader = new LineReader()
    const errors: Array<BatchError> = []
    let isOver = false
    const take = Effect.fnUntraced(function* (text: string): Effect.fn.Return<void, StoreFailure> {
      if (isOver) return
      const line = check.check(text)
      if (check.count() > mostInput.lines || check.line() > mostInput.lines + mostBlank) {
        errors.push(ofFile("too_many_requests", `expected at most ${mostInput.lines} requests`))
        isOver = true
      } else if (line !== undefined && "code" in line) {
        errors.push(line)
        isOver = errors.length === mostErrors
      } else if (line !== undefined && errors.length === 0) yield* orStoreFailure(store.add(line))
    })
    const stream = stored.part(0, stored.size - 1).getReader()
    const takeAll = Effect.gen(function* () {
      for (let next = yield* read(stream); next !== undefined; next = yield* read(stream)) {
        const texts = reader.push(next)
        if (texts === "long") {
          errors.push(ofFile("line_too_long", `line ${check.line() + 1} is too long`))
          return
        }
        yield* Effect.forEach(texts, take, { discard: true })
        if (isOver) return
      }
      yield* take(reader.rest())
    })
    yield* Effect.ensuring(
      takeAll,
      Effect.promise(() => stream.cancel().catch(() => undefined))
    )
    yield* orStoreFailure(store.flush)
    if (errors.length === 0 && store.count() === 0) return [ofFile("empty_file", "the file has no requests")]
    return errors.length > 0 ? errors : store.count()
  })

  /** Writes lines that meet a condition to a file; undefined if there are none. */
  const writeFile = Effect.fnUntraced(function* (
    batch: BatchRow,
    owner: Pick<Caller, "account" | "key" | "filesBytes">,
    { kind, meets }: { readonly kind: "output" | "error"; readonly meets: (line: EndedLine) => boolean }
  ): Effect.fn.Return<string | undefined, Failure> {
    const pages = () => {
      let after = -1
      return async (): Promise<Buffer | undefined> => {
        for (;;) {
          const page = await Runtime.runPromise(runtime)(lines.page(batch.id, after, atOnce))
          const last = page.at(-1)
          if (last === undefined) return undefined
          after = last.place
          const text = page
            .filter(meets)
            .map((line) => outputLine(batch.id, line))
            .join("")
          if (text !== "") return Buffer.from(text)
        }
      }
    }
    const bytes = yield* Effect.promise(async () => {
      const next = pages()
      let sum = 0
      for (let some = await next(); some !== undefined; some = await next()) sum += some.length
      return sum
    })
    if (bytes === 0) return undefined
    const given: FileBytes = { bytes, open: pages }
    const expiresAfterSeconds = detailsOf(batch).outputLifeSeconds ?? undefined
    const words = { name: `${batch.id}_${kind}.jsonl`, purpose: "batch_output", expiresAfterSeconds }
    return (yield* files.put(owner, words, given)).id
  })

  /** Writes the files of a batch whose lines have ended, those that it does not have yet. The lines go. */
  const finalize = Effect.fnUntraced(function* (
    batch: BatchRow,
    owner: Pick<Caller, "account" | "key" | "filesBytes">
  ): Effect.fn.Return<void, Failure | StoreFailure> {
    let details = detailsOf(batch)
    const save = (more: Partial<typeof details>) => {
      details = { ...details, ...more }
      return orStoreFailure(batches.setDetails(batch.id, details))
    }
    if (details.finalizingAtMs === undefined) yield* save({ finalizingAtMs: yield* Clock.currentTimeMillis })
    if (details.outputFile === undefined) {
      const output = { kind: "output", meets: (line: EndedLine) => line.outcome === "succeeded" } as const
      yield* save({ outputFile: (yield* writeFile(batch, owner, output)) ?? null })
    }
    if (details.errorFile === undefined) {
      const error = { kind: "error", meets: (line: EndedLine) => line.outcome !== "succeeded" } as const
      yield* save({ errorFile: (yield* writeFile(batch, owner, error)) ?? null })
    }
    yield* orStoreFailure(lines.removeEnded(batch.id))
  })

  return { validate, finalize } as const
})

const ofFile = (code: string, message: string): BatchError => ({ code, line: null, message, param: "input_file_id" })

const read = (stream: { readonly read: () => Promise<{ readonly value?: Uint8Array | undefined }> }) =>
  Effect.promise(async () => (await stream.read()).value)
