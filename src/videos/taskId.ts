const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
const length = 16

/** `cgt-<time>-<16 random>`: Ark's form, with more at its end than can be guessed. */
export const newTaskId = (nowMs: number): string => {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/\D/g, "")
  let random = ""
  while (random.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 252 is the last multiple of 36: every letter is as likely as any other.
      if (byte < 252 && random.length < length) random += letters[byte % letters.length] ?? ""
    }
  }
  return `cgt-${time}-${random}`
}

/** 32 bits that follow from a task's id, by name: what is chosen for a task is chosen once. */
export const randomOf =
  (id: string) =>
  (name: string): number =>
    Bun.hash.xxHash32(`${id} ${name}`)
