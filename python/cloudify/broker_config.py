"""Where a message broker would be. There is none here: workers take operations from the manager's database and agents
over REST. The names are there for code that copies them into its own configuration."""
broker_cert_path = ''
broker_heartbeat = 30
broker_hostname = 'localhost'
broker_password = ''
broker_port = 5671
broker_ssl_enabled = False
broker_username = ''
broker_vhost = '/'
