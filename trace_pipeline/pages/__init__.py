"""What the pages of the Airflow UI show: typed rows read from views, and nothing of Airflow."""
