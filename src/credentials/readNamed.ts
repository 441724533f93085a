import { mostOfSecret, regularFiles } from "../flow/RegularFiles.ts"

/** The text of the file that a setting names. Throws an error that names the setting. */
export const readNamed = async (setting: string, path: string): Promise<string> => {
  try {
    return await regularFiles.read(path, mostOfSecret)
  } catch (cause) {
    throw new Error(`${setting}: ${cause instanceof Error ? cause.message : "its file can't be read"}`, { cause })
  }
}
