package rest

// descriptionEndpoints are the description of the table and its page.
func (s *Server) descriptionEndpoints() Table { return nil }

func (s *Server) openAPI() ([]byte, error) { return nil, nil }
