/** Ids of accounts, made of LiteLLM's names: letters, digits, dots, dashes and underscores, 64 at most. */
export class AccountNames {
  readonly #byPlace = new Map<string, string>()
  readonly #taken = new Set<string>()

  /** @param place what the account is for, the same of the same one */
  of(place: string, wanted: string): string {
    const known = this.#byPlace.get(place)
    if (known !== undefined) return known
    const plain =
      wanted
        .normalize("NFKD")
        .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
        .replace(/^[^A-Za-z0-9]+/, "")
        .slice(0, 56)
        .replace(/-$/, "") || "litellm"
    // The same for each run: a second import must find what the first one made.
    const id = this.#taken.has(plain)
      ? `${plain}-${new Bun.CryptoHasher("sha256").update(place).digest("hex").slice(0, 6)}`
      : plain
    this.#taken.add(id)
    this.#byPlace.set(place, id)
    return id
  }
}
