// A session of go-github with a server. Arguments: base URL, token.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/google/go-github/github"
)

type bearer struct{ token string }

func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(request)
}

func must[T any](value T, _ *github.Response, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func done(_ *github.Response, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	client, err := github.NewEnterpriseClient(os.Args[1], os.Args[1], &http.Client{Transport: bearer{os.Args[2]}})
	if err != nil {
		panic(err)
	}
	me := must(client.Users.Get(ctx, ""))
	owner := me.GetLogin()
	fmt.Println("login", owner)
	made := must(client.Repositories.Create(ctx, "", &github.Repository{Name: github.String("go-flow"), AutoInit: github.Bool(true)}))
	name := made.GetName()
	fmt.Println("repository", made.GetFullName(), made.GetDefaultBranch())
	must(client.Repositories.CreateFile(ctx, owner, name, "docs/hello.txt", &github.RepositoryContentFileOptions{
		Message: github.String("Say hello"), Content: []byte("hello\n"), Branch: github.String("main"),
	}))
	file, _, _, err := client.Repositories.GetContents(ctx, owner, name, "docs/hello.txt", nil)
	done(nil, err)
	text, err := file.GetContent()
	done(nil, err)
	fmt.Print("content ", text)
	head := must(client.Git.GetRef(ctx, owner, name, "heads/main")).Object.GetSHA()
	must(client.Git.CreateRef(ctx, owner, name, &github.Reference{Ref: github.String("refs/heads/feature"), Object: &github.GitObject{SHA: &head}}))
	tree := must(client.Git.CreateTree(ctx, owner, name, head, []*github.TreeEntry{{
		Path: github.String("one.txt"), Mode: github.String("100644"), Type: github.String("blob"), Content: github.String("1\n"),
	}}))
	commit := must(client.Git.CreateCommit(ctx, owner, name, &github.Commit{
		Message: github.String("One"), Tree: tree, Parents: []*github.Commit{{SHA: &head}},
	}))
	must(client.Git.UpdateRef(ctx, owner, name, &github.Reference{Ref: github.String("refs/heads/feature"), Object: &github.GitObject{SHA: commit.SHA}}, false))
	branches := must(client.Repositories.ListBranches(ctx, owner, name, nil))
	fmt.Println("branches", len(branches))
	compared := must(client.Repositories.CompareCommits(ctx, owner, name, "main", "feature", nil))
	fmt.Println("compared", compared.GetAheadBy(), compared.Files[0].GetFilename())
	must(client.Repositories.ReplaceAllTopics(ctx, owner, name, []string{"one", "two"}))
	fmt.Println("topics", must(client.Repositories.ListAllTopics(ctx, owner, name)))
	done(client.Activity.Star(ctx, owner, name))
	starred, _, err := client.Activity.IsStarred(ctx, owner, name)
	done(nil, err)
	fmt.Println("starred", starred)
	hook := must(client.Repositories.CreateHook(ctx, owner, name, &github.Hook{
		Config: map[string]interface{}{"url": "https://hooks.example.org/", "content_type": "json"}, Events: []string{"push"},
	}))
	done(client.Repositories.DeleteHook(ctx, owner, name, hook.GetID()))
	organizations := must(client.Organizations.List(ctx, "", nil))
	fmt.Println("organizations", len(organizations) > 0)
	done(client.Git.DeleteRef(ctx, owner, name, "heads/feature"))
	done(client.Repositories.Delete(ctx, owner, name))
	_, response, _ := client.Repositories.Get(ctx, owner, name)
	fmt.Println("gone", response.StatusCode)
}
