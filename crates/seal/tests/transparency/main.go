// What programs of transparency logs make of seals and proofs: each line of standard input is one question, with
// the answer that hashmill gave. Says what differs, and how many there were.
package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"os"

	checkpoint "github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A question: one of a seal's text, a record in a tree, a tree that grew.
type question struct {
	Seal    string   `json:"seal"`
	Records uint64   `json:"records"`
	Leaf    []byte   `json:"leaf"`
	Index   uint64   `json:"index"`
	Old     []byte   `json:"old"`
	First   uint64   `json:"first"`
	Root    []byte   `json:"root"`
	Proof   [][]byte `json:"proof"`
	Holds   bool     `json:"holds"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	count := 0
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			log.Fatal(err)
		}
		if err := ask(q); err != nil {
			log.Fatalf("%s: %v", lines.Text(), err)
		}
		count++
	}
	fmt.Println(count)
}

func ask(q question) error {
	switch {
	case q.Seal != "":
		return sealed(q)
	case q.Leaf != nil:
		one := proof.VerifyInclusion(rfc6962.DefaultHasher, q.Index, q.Records, q.Leaf, q.Proof, q.Root)
		two := tlog.CheckRecord(hashes(q.Proof), int64(q.Records), hash(q.Root), int64(q.Index), hash(q.Leaf))
		return same(q.Holds, one, two)
	default:
		one := proof.VerifyConsistency(rfc6962.DefaultHasher, q.First, q.Records, q.Proof, q.Old, q.Root)
		two := tlog.CheckTree(hashes(q.Proof), int64(q.Records), hash(q.Root), int64(q.First), hash(q.Old))
		return same(q.Holds, one, two)
	}
}

func same(holds bool, errs ...error) error {
	for _, err := range errs {
		if (err == nil) != holds {
			return fmt.Errorf("hashmill: %v, others: %v", holds, errs)
		}
	}
	return nil
}

// The text is a checkpoint, and a note that can be signed and opened.
func sealed(q question) error {
	var c checkpoint.Checkpoint
	if _, err := c.Unmarshal([]byte(q.Seal)); err != nil {
		return err
	}
	if c.Size != q.Records || !bytes.Equal(c.Hash, q.Root) {
		return fmt.Errorf("read as %v", c)
	}
	secret, public, err := note.GenerateKey(rand.Reader, c.Origin)
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return err
	}
	signed, err := note.Sign(&note.Note{Text: q.Seal}, signer)
	if err != nil {
		return err
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		return err
	}
	opened, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return err
	}
	if opened.Text != q.Seal {
		return fmt.Errorf("opened as %q", opened.Text)
	}
	_, rest, _, err := checkpoint.ParseCheckpoint(signed, c.Origin, verifier)
	if err == nil && !bytes.HasPrefix(rest, []byte("hashmill-seal 2\n")) {
		return fmt.Errorf("extension lines: %q", rest)
	}
	return err
}

func hash(b []byte) (h tlog.Hash) {
	copy(h[:], b)
	return h
}

func hashes(all [][]byte) (out []tlog.Hash) {
	for _, b := range all {
		out = append(out, hash(b))
	}
	return out
}
