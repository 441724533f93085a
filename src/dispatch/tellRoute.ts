import type { Work } from "./Work.ts"

/** Tells the source of the price, and if another model answers than the requested one. */
export const tellRoute = ({ entry, fallbacks, request, route }: Work): void => {
  const { record, replyHeaders } = request
  if (record !== undefined) record.pricedBy = route?.pricedBy
  const reason = fallbacks?.reason
  if (reason === undefined) return
  replyHeaders["x-gateway-fallback"] = reason
  record?.fellBack(reason, entry.id)
}
