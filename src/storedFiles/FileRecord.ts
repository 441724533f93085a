import type { AccountId, KeyId } from "../contract/callers/Caller.ts"

/** A file that an account keeps here. Times are Unix ms. */
export interface FileRecord {
  /** `file_` and 32 hex digits. */
  readonly id: string
  readonly account: AccountId
  /** The key that made it. */
  readonly key: KeyId
  /** Without a path. */
  readonly name: string
  readonly purpose: string
  /** By its first bytes; the caller's own is not believed. */
  readonly mediaType: string
  readonly bytes: number
  readonly createdAtMs: number
  /** Null if it stays until it is deleted. */
  readonly expiresAtMs: number | null
}

/** An upload in parts. */
export interface UploadRecord extends FileRecord {
  /** The life of the complete file, in milliseconds. */
  readonly livesMs: number | null
}

/** A part of an upload. */
export interface PartRecord {
  /** 32 hex digits. */
  readonly id: string
  readonly bytes: number
}

const filePrefix = "file_"

/** The id in the rows for one that callers send; undefined if it is none of the gateway's. */
export const keyOf = (id: string, prefix: "file_" | "upload_" | "part_" = filePrefix): string | undefined =>
  id.startsWith(prefix) && /^[0-9a-f]{32}$/.test(id.slice(prefix.length)) ? id.slice(prefix.length) : undefined

export const fileId = (key: string): string => `${filePrefix}${key}`
