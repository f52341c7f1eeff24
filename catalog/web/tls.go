package web

// This file has mutual TLS: how a source's requests show who sends them, and whom they believe.

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"almanac/catalog/regular"
)

// A Certificate is how a source's requests show who sends them, by TLS. All are names of files with PEM.
type Certificate struct {
	// Cert and Key go together; empty shows nothing. The key has no password.
	Cert, Key string
	// CA has the authorities that the server's certificate must be from, in place of the system's; empty believes those.
	CA string
}

// maxPEM bounds a file of certificates, in bytes.
const maxPEM = 1 << 20

// TLS reads the files; nil where none is named.
func (c Certificate) TLS() (*tls.Config, error) {
	if c == (Certificate{}) {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if (c.Cert == "") != (c.Key == "") {
		return nil, errors.New("cert and key go together: set both")
	}
	if c.Cert != "" {
		cert, err := regular.Read(c.Cert, maxPEM)
		if err != nil {
			return nil, fmt.Errorf("cert: %w", err)
		}
		key, err := regular.Read(c.Key, maxPEM)
		if err != nil {
			return nil, fmt.Errorf("key: %w", err)
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("cert %s, key %s: %w", c.Cert, c.Key, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if c.CA != "" {
		text, err := regular.Read(c.CA, maxPEM)
		if err != nil {
			return nil, fmt.Errorf("ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("ca: %s: no certificate in it, want PEM", c.CA)
		}
	}
	return config, nil
}
