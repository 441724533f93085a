/**
 * Where a thread's program is: in a compiled binary an entry point of its own, found under its path below `src`; in the
 * package JavaScript like whoever starts it.
 *
 * @param starter the `import.meta.url` of whoever starts it, beside which it lies
 * @param path below `src`, without what its name ends with
 */
export const threadFile = (starter: string, path: string): URL =>
  Bun.main.startsWith("/$bunfs/")
    ? new URL(`./${path}.ts`, starter)
    : new URL(`./${path.slice(path.lastIndexOf("/") + 1)}.${starter.endsWith(".js") ? "js" : "ts"}`, starter)
