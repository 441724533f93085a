import type { RequestRecord } from "../contract/records/RequestRecord.ts"

/**
 * A request's tags, its end user and all names of its models, for budgets.
 *
 * @param models the requested model, and the one that is asked in its place
 */
export const labelsOf = (
  models: ReadonlyArray<{ readonly id: string; readonly aliasOf?: string | undefined }>,
  record: Pick<RequestRecord, "tags" | "endUser"> | undefined
) => ({
  names: models.flatMap(({ aliasOf, id }) => (aliasOf === undefined ? [id] : [id, aliasOf])),
  tags: record?.tags,
  endUser: record?.endUser
})
