// Package openai completes requests at any server that speaks OpenAI's chat completion protocol or its Responses
// interface: OpenAI, Ollama, llama.cpp, vLLM, OpenRouter. It is the only importer of github.com/sashabaranov/go-openai.
//
//	Provider  an llm.Provider for one server
//	Options   its address and key
//
// go-openai builds the chat requests and reads their stream; the Responses interface (responses.go, items.go) is read
// without it. Type exchange sits between it and the socket and repairs what
// neither should see: comments and event names in a stream, errors that are not in OpenAI's form, a last line without a
// newline, whole answers and web pages in place of a stream.
//
// # Which address
//
// The base URL is the prefix of all API paths: the client calls BASE/chat/completions. An address without a path gets
// /v1, as all the servers above use; an address with a path is used unchanged. So these are the same:
//
//	http://localhost:11434
//	http://localhost:11434/
//	http://localhost:11434/v1
//	localhost:11434
//	http://localhost:11434/v1/chat/completions
//
// and https://openrouter.ai/api/v1 must be given in full. An address without a scheme means http on this machine
// and https elsewhere.
//
// Start at Provider.Complete.
package openai
