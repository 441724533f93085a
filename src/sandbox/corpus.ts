/** A page of the sandbox's web, with text about facts that do not change. */
export interface CorpusPage {
  /** Without a scheme. */
  readonly address: string
  readonly title: string
  /** The first sentence answers; citations quote at most 150 characters of it. */
  readonly text: string
  readonly age: string | null
}

export const corpus: ReadonlyArray<CorpusPage> = [
  {
    address: "example.com/",
    title: "Example Domain",
    text: "This domain is for use in illustrative examples in documents. No permission is needed to mention it.",
    age: null
  },
  {
    address: "example.com/blog/2025/streaming",
    title: "Streaming answers, explained",
    text: "A streamed answer arrives as server-sent events, one small piece of text after the other. A client joins the pieces and shows them as they come.",
    age: "March 14, 2025"
  },
  {
    address: "example.com/blog/2024/retries",
    title: "Retrying without regret",
    text: "A client should retry only after an error that may pass, and wait longer each time. A rate limit says how long in its retry-after header.",
    age: "June 2, 2024"
  },
  {
    address: "docs.example.com/guide/tools",
    title: "Guide: calling tools",
    text: "A model calls a tool by name with arguments that follow the tool's JSON Schema. The caller runs the tool and sends its result back in the next turn.",
    age: "April 30, 2025"
  },
  {
    address: "docs.example.com/guide/search",
    title: "Guide: web search",
    text: "Web search lets a model read pages it was not trained on and cite them. Domain filters say which pages it may read.",
    age: "April 30, 2025"
  },
  {
    address: "news.example.org/2025/gateway",
    title: "One address for every model",
    text: "A gateway gives many models one address, one set of keys and one bill. The latest news is that it runs on a laptop too.",
    age: "May 5, 2025"
  },
  {
    address: "news.example.org/sport/chess",
    title: "Chess: the game today",
    text: "A game of chess begins with twenty possible moves for White. After four plies more than 197,000 games are possible.",
    age: "January 9, 2025"
  },
  {
    address: "weather.example.net/today",
    title: "The weather today",
    text: "The sandbox's weather is 21 degrees and sunny in every city, today and tomorrow. It never rains on a test.",
    age: "May 5, 2025"
  },
  {
    address: "en.wikipedia.org/wiki/Paris",
    title: "Paris - Wikipedia",
    text: "Paris is the capital and the most populous city of France, on the river Seine. The Eiffel Tower was finished there in 1889.",
    age: "February 11, 2025"
  },
  {
    address: "en.wikipedia.org/wiki/Mount_Everest",
    title: "Mount Everest - Wikipedia",
    text: "Mount Everest is Earth's highest mountain above sea level, at 8,849 metres. It stands on the border of Nepal and China.",
    age: "February 20, 2025"
  },
  {
    address: "en.wikipedia.org/wiki/Speed_of_light",
    title: "Speed of light - Wikipedia",
    text: "The speed of light in vacuum is exactly 299,792,458 metres per second. The metre has been defined by it since 1983.",
    age: "January 30, 2025"
  },
  {
    address: "de.wikipedia.org/wiki/Berlin",
    title: "Berlin – Wikipedia",
    text: "Berlin is the capital of Germany and its largest city by population. The river Spree runs through it.",
    age: "March 3, 2025"
  },
  {
    address: "developer.mozilla.org/en-US/docs/Web/API/Server-sent_events",
    title: "Server-sent events - Web APIs | MDN",
    text: "With server-sent events a server can send new data to a web page at any time over one open connection.",
    age: "December 12, 2024"
  },
  {
    address: "developer.mozilla.org/en-US/docs/Web/HTTP/Status/429",
    title: "429 Too Many Requests - HTTP | MDN",
    text: "The status 429 Too Many Requests says that the client has sent too many requests in a given amount of time.",
    age: "November 8, 2024"
  },
  {
    address: "docs.python.org/3/library/json.html",
    title: "json — JSON encoder and decoder",
    text: "Python's json module turns objects into JSON text with dumps and reads JSON text with loads.",
    age: null
  },
  {
    address: "www.typescriptlang.org/docs/handbook",
    title: "The TypeScript Handbook",
    text: "TypeScript is JavaScript with types that are checked before the program runs. The types leave no trace at run time.",
    age: null
  },
  {
    address: "bun.sh/docs/api/http",
    title: "HTTP server - Bun docs",
    text: "Bun serves HTTP with Bun.serve, which takes a table of routes and a fetch handler.",
    age: "April 2, 2025"
  },
  {
    address: "github.com/features/actions",
    title: "GitHub Actions",
    text: "GitHub Actions runs a repository's tests and releases on every push.",
    age: null
  },
  {
    address: "arxiv.org/abs/1706.03762",
    title: "Attention Is All You Need",
    text: "The Transformer is a network architecture based solely on attention mechanisms. It was presented in 2017 for machine translation.",
    age: "June 12, 2017"
  },
  {
    address: "www.rfc-editor.org/rfc/rfc9110",
    title: "RFC 9110: HTTP Semantics",
    text: "HTTP is a stateless application-level protocol for distributed hypertext information systems.",
    age: "June 1, 2022"
  },
  {
    address: "science.nasa.gov/mars",
    title: "Mars - NASA Science",
    text: "Mars is the fourth planet from the Sun and has two small moons, Phobos and Deimos. A day there lasts 24.6 hours.",
    age: "October 21, 2024"
  },
  {
    address: "www.nasa.gov/missions/artemis",
    title: "Artemis - NASA",
    text: "With the Artemis missions NASA returns people to the Moon. The first flight circled the Moon without a crew in 2022.",
    age: "January 15, 2025"
  },
  {
    address: "www.who.int/news-room/fact-sheets/detail/physical-activity",
    title: "Physical activity - WHO",
    text: "Adults should do at least 150 minutes of moderate physical activity a week for their health.",
    age: "June 26, 2024"
  },
  {
    address: "www.bbc.co.uk/news/technology",
    title: "Technology - BBC News",
    text: "News about technology appears here every day. The sandbox's copy of this page is empty but for these sentences.",
    age: "May 5, 2025"
  }
]
