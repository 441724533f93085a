/** True if an `Accept` header asks for CSV. Browsers and client libraries name JSON, or accept anything. */
export const prefersCsv = (accept: string): boolean => {
  const types = accept.split(",").map((type) => type.split(";")[0]?.trim().toLowerCase())
  return types.includes("text/csv") && !types.includes("application/json")
}
