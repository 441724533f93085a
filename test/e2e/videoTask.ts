export const path = "/api/v3/contents/generations/tasks"

// oxlint-disable-next-line typescript/no-explicit-any -- whatever came
export const json = async (response: Response | Promise<Response>): Promise<any> => (await response).json()

export const until = async <A>(look: () => Promise<A> | A, isIt: (value: A) => boolean, ms = 90_000): Promise<A> => {
  for (const deadline = Date.now() + ms; ; await Bun.sleep(50)) {
    const value = await look()
    if (isIt(value)) return value
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)}`)
  }
}
