import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { AccountId, KeyId } from "../../contract/callers/Caller.ts"
import type { Holder } from "../../contract/callers/Caller.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { ofKeys } from "../../sql/ofKeys.ts"
import { fileId, keyOf } from "../FileRecord.ts"
import type { FileRecord, PartRecord, UploadRecord } from "../FileRecord.ts"

/** Files of an account, and parts of an upload. */
const mostFiles = 100_000
export const mostParts = 1_000

/** The time in which an upload becomes complete. */
export const uploadMs = 60 * 60_000

/** The time after which another process removes what one began to remove. */
const removingMs = 10 * 60_000

/** `writing`: its bytes are on their way. `upload`: its parts come. `joining`: it is made of its parts. */
type State = "writing" | "upload" | "joining" | "ready" | "removing"

interface NewFile extends Omit<FileRecord, "id" | "expiresAtMs"> {
  readonly hex: string
  readonly state: "writing" | "upload"
  readonly livesMs: number | null
  /** When it is removed unless it is ready by then. */
  readonly dueAtMs: number
}

export interface FilePage {
  readonly purpose?: string | undefined
  /** Only these. */
  readonly ids?: ReadonlyArray<string> | undefined
  readonly order: "asc" | "desc"
  readonly after?: FileRecord | undefined
  readonly limit: number
}

/** The rows of files, of uploads in parts, and their sums by account. */
export class StoredRows extends Effect.Service<StoredRows>()("gateway/storedFiles/store/StoredRows", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const skipLocked = sql.onDialectOrElse({
      pg: () => sql.literal("FOR UPDATE SKIP LOCKED"),
      orElse: () => sql.literal("")
    })

    /** Takes a file's bytes from the account's quota and adds its row. False if the quota does not allow it. */
    const add = (file: NewFile, quota: number): Effect.Effect<boolean, SqlError> =>
      commits.commit(
        Effect.gen(function* () {
          if (file.bytes > quota) return false
          const taken = yield* sql`INSERT INTO stored_file_sums (account_id, files, bytes)
            VALUES (${file.account}, 1, ${file.bytes})
            ON CONFLICT (account_id) DO UPDATE
            SET files = stored_file_sums.files + 1, bytes = stored_file_sums.bytes + excluded.bytes
            WHERE stored_file_sums.bytes + excluded.bytes <= ${quota} AND stored_file_sums.files < ${mostFiles}
            RETURNING account_id`
          if (taken.length === 0) return false
          yield* sql`INSERT INTO stored_files ${sql.insert({
            id: file.hex,
            account_id: file.account,
            key_id: file.key,
            name: file.name,
            purpose: file.purpose,
            media_type: file.mediaType,
            bytes: file.bytes,
            state: file.state,
            created_at: file.createdAtMs,
            lives_ms: file.livesMs,
            due_at: file.dueAtMs
          })}`
          return true
        })
      )

    /** The bytes that an account's files take. */
    const bytesOf = (account: string): Effect.Effect<number, SqlError> =>
      Effect.map(
        sql`SELECT bytes FROM stored_file_sums WHERE account_id = ${account}`,
        (found) => sums.first(found)?.bytes ?? 0
      )

    /** Changes a row's state. False if it had another one. */
    const become = (
      key: string,
      from: State,
      to: State,
      columns: Readonly<Record<string, string | number | null>>
    ): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        commits.commit(sql`UPDATE stored_files SET ${sql.update({ ...columns, state: to })}
          WHERE id = ${key} AND state = ${from} RETURNING id`),
        (changed) => changed.length > 0
      )

    const ofHolder = ({ account, person }: Holder) => [sql`account_id = ${account}`, ...ofKeys(sql, person?.keys)]

    const findIn = Effect.fnUntraced(function* (holder: Holder, key: string, state: State) {
      const nowMs = yield* Clock.currentTimeMillis
      const found = yield* sql`SELECT * FROM stored_files WHERE ${sql.and([
        sql`id = ${key}`,
        sql`state = ${state}`,
        sql`(due_at IS NULL OR due_at > ${nowMs})`,
        ...ofHolder(holder)
      ])}`
      const row = files.first(found)
      return row === undefined ? undefined : { ...recordOf(row), livesMs: row.lives_ms }
    })

    const find = (holder: Holder, key: string): Effect.Effect<FileRecord | undefined, SqlError> =>
      findIn(holder, key, "ready")

    const upload = (holder: Holder, key: string): Effect.Effect<UploadRecord | undefined, SqlError> =>
      findIn(holder, key, "upload")

    /** True while an upload's parts become its file. */
    const isJoining = (holder: Holder, key: string): Effect.Effect<boolean, SqlError> =>
      Effect.map(findIn(holder, key, "joining"), (found) => found !== undefined)

    const amongIds = (given: ReadonlyArray<string>) => {
      const known = given.flatMap((id) => keyOf(id) ?? [])
      return known.length === 0 ? sql`1 = 0` : sql.in("id", known)
    }

    /** One page, by time of creation. */
    const list = Effect.fnUntraced(function* (holder: Holder, { after, ids, limit, order, purpose }: FilePage) {
      const nowMs = yield* Clock.currentTimeMillis
      const direction = sql.literal(order === "asc" ? "ASC" : "DESC")
      const beyond = sql.literal(order === "asc" ? ">" : "<")
      const found = yield* sql`SELECT * FROM stored_files WHERE ${sql.and([
        ...ofHolder(holder),
        sql`state = 'ready'`,
        sql`(due_at IS NULL OR due_at > ${nowMs})`,
        ...(purpose === undefined ? [] : [sql`purpose = ${purpose}`]),
        ...(ids === undefined ? [] : [amongIds(ids)]),
        ...(after === undefined
          ? []
          : [sql`(created_at, id) ${beyond} (${after.createdAtMs}, ${after.id.slice(fileId("").length)})`])
      ])} ORDER BY created_at ${direction}, id ${direction} LIMIT ${limit}`
      return files.all(found).map(recordOf)
    })

    /** Hides a file or an upload, so that it can be removed. False if there is none. */
    const hide = (holder: Holder, key: string, state: "ready" | "upload"): Effect.Effect<boolean, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.map(
          commits.commit(sql`UPDATE stored_files SET state = 'removing', due_at = ${nowMs + removingMs}
            WHERE ${sql.and([
              sql`id = ${key}`,
              sql`state = ${state}`,
              sql`(due_at IS NULL OR due_at > ${nowMs})`,
              ...ofHolder(holder)
            ])} RETURNING id`),
          (changed) => changed.length > 0
        )
      )

    /** Hides what is due. Returns the keys of up to `limit` files. */
    const claimDue = Effect.fnUntraced(function* (limit: number): Effect.fn.Return<ReadonlyArray<string>, SqlError> {
      const nowMs = yield* Clock.currentTimeMillis
      const due = yield* sql`SELECT id FROM stored_files WHERE due_at <= ${nowMs} LIMIT 1`
      if (due.length === 0) return []
      // The process that joined the parts has died: they can be joined again, while the upload lives.
      yield* commits.commit(sql`UPDATE stored_files SET state = 'upload', due_at = created_at + ${uploadMs}
        WHERE state = 'joining' AND due_at <= ${nowMs}`)
      const claimed = yield* commits.commit(sql`UPDATE stored_files
        SET state = 'removing', due_at = ${nowMs + removingMs}
        WHERE id IN (SELECT id FROM stored_files WHERE due_at <= ${nowMs} ORDER BY due_at LIMIT ${limit} ${skipLocked})
        RETURNING id`)
      return ids.all(claimed).map(({ id }) => id)
    })

    /** Removes the row of a hidden file whose bytes are gone, and gives its bytes back. */
    const remove = (key: string): Effect.Effect<void, SqlError> =>
      commits.commit(
        Effect.gen(function* () {
          yield* sql`DELETE FROM stored_file_parts WHERE file_id = ${key}`
          const removed = owned.first(
            yield* sql`DELETE FROM stored_files WHERE id = ${key} AND state = 'removing' RETURNING account_id, bytes`
          )
          if (removed === undefined) return
          yield* sql`UPDATE stored_file_sums SET files = files - 1, bytes = bytes - ${removed.bytes}
            WHERE account_id = ${removed.account_id}`
        })
      )

    /** Adds a part. False if the upload has no room for it: lost parts are sent again, so that there is room for twice its bytes. */
    const addPart = (upload: UploadRecord, key: string, part: PartRecord): Effect.Effect<boolean, SqlError> =>
      commits.commit(
        Effect.gen(function* () {
          const taken = yield* sql`UPDATE stored_files
            SET part_bytes = part_bytes + ${part.bytes}, part_count = part_count + 1
            WHERE id = ${key} AND state = 'upload' AND part_count < ${mostParts}
              AND part_bytes + ${part.bytes} <= ${2 * upload.bytes} RETURNING id`
          if (taken.length === 0) return false
          yield* sql`INSERT INTO stored_file_parts ${sql.insert({ file_id: key, id: part.id, bytes: part.bytes })}`
          return true
        })
      )

    /** Removes a part that was not stored. */
    const removePart = (key: string, part: PartRecord): Effect.Effect<void, SqlError> =>
      commits.commit(
        Effect.zipRight(
          sql`DELETE FROM stored_file_parts WHERE file_id = ${key} AND id = ${part.id}`,
          sql`UPDATE stored_files SET part_bytes = part_bytes - ${part.bytes}, part_count = part_count - 1 WHERE id = ${key}`
        )
      )

    const partsOf = (key: string): Effect.Effect<ReadonlyArray<PartRecord>, SqlError> =>
      Effect.map(sql`SELECT id, bytes FROM stored_file_parts WHERE file_id = ${key}`, parts.all)

    return {
      add,
      bytesOf,
      become,
      find,
      upload,
      isJoining,
      list,
      hide,
      claimDue,
      remove,
      addPart,
      removePart,
      partsOf
    } as const
  })
}) {}

const files = rows("stored_files", {
  id: Schema.String,
  account_id: AccountId,
  key_id: KeyId,
  name: Schema.String,
  purpose: Schema.String,
  media_type: Schema.String,
  bytes: Schema.Int,
  created_at: Schema.Int,
  lives_ms: Schema.NullOr(Schema.Int),
  due_at: Schema.NullOr(Schema.Int)
})

const recordOf = (row: ReturnType<typeof files.one>): FileRecord => ({
  id: fileId(row.id),
  account: row.account_id,
  key: row.key_id,
  name: row.name,
  purpose: row.purpose,
  mediaType: row.media_type,
  bytes: row.bytes,
  createdAtMs: row.created_at,
  expiresAtMs: row.due_at
})

const ids = rows("stored_files", { id: Schema.String })
const owned = rows("stored_files", { account_id: Schema.String, bytes: Schema.Int })
const sums = rows("stored_file_sums", { bytes: Schema.Int })
const parts = rows("stored_file_parts", { id: Schema.String, bytes: Schema.Int })
