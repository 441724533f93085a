const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
const length = 16

/** `cgt-<time>-<16 random>`: Ark's form, with an unguessable suffix. */
export const newTaskId = (nowMs: number): string => {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/\D/g, "")
  let random = ""
  while (random.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 252 is the last multiple of 36, so every character is equally likely.
      if (byte < 252 && random.length < length) random += letters[byte % letters.length] ?? ""
    }
  }
  return `cgt-${time}-${random}`
}

/** 32 bits derived from a task's id and a name, so that a choice for a task never changes. */
export const randomOf =
  (id: string) =>
  (name: string): number =>
    Bun.hash.xxHash32(`${id} ${name}`)
