// bare <port> <upstream>: what a proxy costs that does nothing, in Go: the standard library's own, flushing each write.
package main

import (
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
)

func main() {
	upstream, err := url.Parse(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(upstream)
	proxy.FlushInterval = -1
	proxy.Transport = &http.Transport{MaxIdleConns: 2048, MaxIdleConnsPerHost: 2048}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], proxy))
}
