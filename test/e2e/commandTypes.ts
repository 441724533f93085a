import type { KeyRecord } from "../../src/admin/KeyRecord.ts"

export type Made = { readonly key: KeyRecord; readonly secret: string }
