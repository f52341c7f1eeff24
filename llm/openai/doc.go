// Package openai completes requests at any server that speaks OpenAI's chat completion protocol: OpenAI, Ollama,
// llama.cpp, vLLM, OpenRouter. It is the only importer of github.com/sashabaranov/go-openai.
//
//	Provider  an llm.Provider for one server
//	Options   its address and key
//
// go-openai builds the requests and reads the stream. What lies between it and the socket, type exchange, mends what
// it does not bear: comments and event names between the lines of a stream, errors that are not in OpenAI's form,
// a last line without an end, whole answers and web pages where a stream was asked for.
//
// # Which address
//
// The base URL is what the paths of the API follow: the client calls BASE/chat/completions. An address without a
// path gets /v1, which is where all the servers above have it; one with a path is used as it stands. So these are
// the same:
//
//	http://localhost:11434
//	http://localhost:11434/
//	http://localhost:11434/v1
//	localhost:11434
//	http://localhost:11434/v1/chat/completions
//
// and https://openrouter.ai/api/v1 must be given in full. An address without a scheme is http for this machine and
// https for any other.
//
// Start at Provider.Complete.
package openai
