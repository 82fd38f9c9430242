"""What a worker tells Prometheus and Kubernetes about itself."""
