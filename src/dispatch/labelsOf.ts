import type { RequestRecord } from "../contract/RequestRecord.ts"

/** A request's tags and end user, and the model behind an alias, for budgets. */
export const labelsOf = (
  { aliasOf }: { readonly aliasOf?: string | undefined },
  record: Pick<RequestRecord, "tags" | "endUser"> | undefined
) => ({ aliasOf, tags: record?.tags, endUser: record?.endUser })
