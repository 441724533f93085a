import { Effect, Layer } from "effect"
import { isAnthropicClient } from "../contract/callers/anthropicClient.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { InvalidRequest, Unavailable } from "../contract/failures/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { fileResponse } from "../files/fileResponse.ts"
import { StoredFilesApi, UploadsApi } from "./Api.ts"
import type { CreateFile } from "./Api.ts"
import type { FileRecord } from "./FileRecord.ts"
import { attachment } from "./fileName.ts"
import { makeListFiles } from "./listFiles.ts"
import { anthropicFile, openAIFile } from "./shapes.ts"
import { StoredFiles } from "./StoredFiles.ts"
import { StoredFilesExpiry } from "./StoredFilesExpiry.ts"
import { makeUploads } from "./Uploads.ts"
import { StoredRows } from "./store/StoredRows.ts"

const FilesHandlers = handlers(
  StoredFilesApi,
  Effect.gen(function* () {
    const stored = yield* StoredFiles
    const listFiles = yield* makeListFiles

    const create = (caller: Caller, { file, purpose, ...asked }: CreateFile, isAnthropic: boolean) =>
      Effect.suspend(() => {
        const known = purpose ?? (isAnthropic ? "user_data" : undefined)
        if (known === undefined) return new InvalidRequest({ param: "purpose", message: "purpose: is required" })
        const life = asked.expires_after?.seconds ?? asked.expires_in_seconds
        const expiresAfterSeconds = life === undefined || life === null ? undefined : Number(life)
        return stored.put(caller, { name: file.name, purpose: known, expiresAfterSeconds }, file)
      })

    const contentOf = Effect.fnUntraced(function* (caller: Caller, id: string, headers: Headers) {
      const { file, stored: bytes } = yield* stored.read(caller, id)
      return yield* Effect.tryPromise({
        try: () =>
          fileResponse(bytes, file.mediaType, headers, {
            "content-disposition": attachment(file.name),
            // Old browsers would run a page that was sent as text.
            "content-security-policy": "sandbox; default-src 'none'"
          }),
        catch: () => new Unavailable({ message: "The gateway's file storage does not answer; try again later" })
      })
    })

    return {
      create: ({ caller, payload, request: { headers } }) =>
        Effect.map(create(caller, payload, isAnthropicClient(headers)), shapeFor(headers)),
      list: ({ caller, request: { headers }, urlParams }) => {
        const isAnthropic = isAnthropicClient(headers)
        return Effect.map(listFiles(caller, urlParams, isAnthropic), ({ files, next_page, ...page }) =>
          isAnthropic
            ? { data: files.map(anthropicFile), ...page, next_page }
            : { object: "list" as const, data: files.map(openAIFile), ...page }
        )
      },
      find: ({ caller, path, request: { headers } }) => Effect.map(stored.find(caller, path.id), shapeFor(headers)),
      remove: ({ caller, path: { id }, request: { headers } }) =>
        Effect.as(
          stored.remove(caller, id),
          isAnthropicClient(headers)
            ? { id, type: "file_deleted" as const }
            : { id, object: "file" as const, deleted: true as const }
        ),
      content: ({ caller, path, request: { headers } }) => contentOf(caller, path.id, headers)
    }
  })
)

/** A file's record in the caller's dialect. */
const shapeFor = (headers: Headers) => (file: FileRecord) =>
  isAnthropicClient(headers) ? anthropicFile(file) : openAIFile(file)

const UploadsHandlers = handlers(
  UploadsApi,
  Effect.map(makeUploads, (uploads) => ({
    create: ({ caller, payload }) => uploads.create(caller, payload),
    addPart: ({ caller, path, payload }) => uploads.addPart(caller, path.id, payload.data),
    complete: ({ caller, path, payload }) => uploads.complete(caller, path.id, payload),
    cancel: ({ caller, path }) => uploads.cancel(caller, path.id)
  }))
)

/** Serves the files of accounts, and removes expired ones. */
export const StoredFilesLive = Layer.mergeAll(FilesHandlers, UploadsHandlers, StoredFilesExpiry).pipe(
  Layer.provide(StoredRows.Default)
)
