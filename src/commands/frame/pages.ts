import { chapters } from "./catalogue.ts"
import type { Entry } from "./Entry.ts"
import type { Group, Leaf } from "./leaf.ts"
import type { HelpPage } from "./page.ts"

/** The page of `gateway help`. */
export const rootPage = (): HelpPage => ({
  what: ["One self-hosted address in front of every model."],
  usage: ["gateway [COMMAND] [OPTIONS]"],
  sections: [
    ...chapters.map(({ entries, title }) => ({
      title,
      rows: entries.map(({ name, what }) => [name, what] as const)
    })),
    {
      title: "Options",
      rows: [
        ["-h, --help", "Explain the program or a command."],
        ["--version", "Print the version, as `gateway version` does."]
      ]
    }
  ],
  examples: [],
  footer: "Without a command: serve. `gateway help COMMAND` explains one, with examples."
})

const alwaysThere = [["-h, --help", "Show this."]] as const

const remoteOptions = [
  ["--url URL", "A remote gateway, by its admin API and GATEWAY_ADMIN_KEY (GATEWAY_URL)."]
] as const

export const groupPage = ({ what }: Entry, { commands, name }: Group): HelpPage => ({
  what: [what],
  usage: [`gateway ${name} COMMAND [OPTIONS]`],
  sections: [
    {
      title: "Commands",
      rows: commands.map(({ described, name }) => {
        const { args, what } = described()
        return [[name, ...args.map(([arg]) => arg)].join(" "), firstSentence(what[0] ?? "")] as const
      })
    }
  ],
  examples: commands.flatMap(({ described }) => described().examples.slice(0, 1)),
  footer: `\`gateway help ${name} COMMAND\` explains one, with its options.`
})

/** @param path the command with its group, such as `keys create` */
export const leafPage = (path: string, { described, isRemote }: Leaf): HelpPage => {
  const { args, examples, options, what } = described()
  return {
    what,
    usage: [usageOf(path, args)],
    sections: [
      { title: "Arguments", rows: args },
      { title: "Options", rows: [...options, ...(isRemote ? remoteOptions : []), ...alwaysThere] }
    ],
    examples
  }
}

export const usageOf = (path: string, args: ReadonlyArray<readonly [string, string]>): string =>
  ["gateway", path, ...args.map(([arg]) => arg), "[OPTIONS]"].join(" ")

const firstSentence = (text: string): string => /^.*?[.](?= |$)/.exec(text)?.[0] ?? text
