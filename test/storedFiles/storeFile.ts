/** Stores a short text as a file. Returns its id. */
export const storeFile = async (url: string, key: string): Promise<string> => {
  const body = new FormData()
  body.set("purpose", "user_data")
  body.set("file", new Blob(["Hi"]), "a.txt")
  const headers = { authorization: `Bearer ${key}` }
  const made: unknown = await (await fetch(`${url}/v1/files`, { method: "POST", headers, body })).json()
  return typeof made === "object" && made !== null && "id" in made ? String(made.id) : ""
}
